import {
  CONTENT_FIELD_MAX,
  type ContentParameters,
  costNs,
  decodeEncodedWords,
  fieldValue,
  type HeaderSource,
  type ParseBudget,
  type PartHeader,
  partFieldsOf,
  readContentParameters,
} from "@kauke/mail-rfc";

export interface MessageFields extends Pick<PartHeader, "content" | "contentDisposition" | "encoding"> {
  isAmbiguous: boolean;
  alternatives: readonly string[];
}

/** Maximum characters of a field name; a longer one counts as a match, since its ending is not read. */
const NAME_MAX = 2000;
const FIELDS_MAX = 1000;
const FIELD_HEAD_MAX = 600;
const CALENDAR_TYPE = /calendar|\/(?:[a-z-]*-)?(?:ics|ical|vcs)$/;
const CALENDAR_NAME = /\.(?:ics|ical|icalendar|vcs|ifb)[^\p{L}\p{N}]*$/iu;
const SIGNED_TYPE = /^application\/(?:x-)?pkcs7-mime$/;
const SIGNED_NAME = /\.p7[mz][^\p{L}\p{N}]*$/iu;
const MIME_FIELDS: ReadonlySet<string> = new Set(["content-type", "content-disposition", "content-transfer-encoding"]);
const FIELD_START = /^content-(?:type|disposition)[ \t]*:/gim;

export function readMessageFields({ header, fields }: HeaderSource): MessageFields {
  const found: string[] = [];
  const values = new Map<string, string>();
  for (const field of fields) {
    if (!MIME_FIELDS.has(field.name)) continue;
    const value = fieldValue(header, field);
    found.push(value);
    if (!values.has(field.name)) values.set(field.name, value);
  }
  const isAmbiguous = values.size < found.length;
  return { ...partFieldsOf(values), isAmbiguous, alternatives: isAmbiguous ? found : [] };
}

/** Most mail has a single part, which is no calendar. */
export function mayHoldCalendar(message: MessageFields): boolean {
  const { value } = message.content;
  if (message.isAmbiguous || isBeyondReading(message)) return true;
  if (value.startsWith("multipart/") || value.startsWith("message/")) return true;
  return isCalendar(message) || isOpaque(message);
}

/** Whether a line looks like a field of a calendar part, or there are too many to check. @throws ParseLimitError */
export function hasCalendarField(body: Buffer, budget: ParseBudget): boolean {
  budget.spend(body.length * costNs.shortSearchedByte);
  const text = body.toString("latin1");
  let left = FIELDS_MAX;
  FIELD_START.lastIndex = 0;
  for (let found = FIELD_START.exec(text); found !== null; found = FIELD_START.exec(text)) {
    if (left-- === 0) return true;
    const field = text.slice(FIELD_START.lastIndex, FIELD_START.lastIndex + FIELD_HEAD_MAX);
    const [value = ""] = field.split(/(?:\r\n|\r|\n)(?![ \t])/, 1);
    if (isCalendarField(value.replace(/[\r\n]+/g, "").trim(), budget)) return true;
  }
  return false;
}

export function isBeyondReading({ content, contentDisposition }: Described): boolean {
  return content.isCut || contentDisposition.length > CONTENT_FIELD_MAX;
}

type Described = Pick<PartHeader, "content" | "contentDisposition">;

export function isCalendar(part: Described): boolean {
  return CALENDAR_TYPE.test(part.content.value) || isNamed(part, CALENDAR_NAME);
}

export function isOpaque(part: Described): boolean {
  return SIGNED_TYPE.test(part.content.value) || isNamed(part, SIGNED_NAME);
}

function isNamed({ content, contentDisposition: disposition }: Described, pattern: RegExp): boolean {
  const hasMatch = ({ parameters }: ContentParameters, name: string): boolean => {
    for (const text of parameters.get(name) ?? [])
      if (text.length > NAME_MAX || pattern.test(decodeEncodedWords(text))) return true;
    return false;
  };
  if (hasMatch(content, "name")) return true;
  return disposition.includes(";") && hasMatch(readContentParameters(disposition), "filename");
}

/** Whether a field may belong to a calendar or an opaquely signed part. @throws ParseLimitError */
export function isCalendarField(value: string, budget: ParseBudget): boolean {
  budget.spendOnParameters(value);
  const field = { content: readContentParameters(value), contentDisposition: value };
  return isBeyondReading(field) || isCalendar(field) || isOpaque(field);
}
