/**
 * Finds the parts of a message by which a mail program would act on an invitation (RFC 6047), wherever they are:
 * calendar parts at any depth, in attached messages that are shown inline, under signatures. Works on offsets and
 * searches natively. If programs could read the message differently, or a limit is reached, the result says so, and
 * forwarding then hides the invitation.
 */

import {
  CONTENT_FIELD_MAX,
  type ContentParameters,
  costNs,
  decodeEncodedWords,
  decodeQuotedPrintable,
  delimiterLines,
  fieldValue,
  type HeaderSource,
  onlyParameter,
  type ParseBudget,
  ParseLimitError,
  type PartHeader,
  partFieldsOf,
  readContentParameters,
  readPartHeader,
} from "@kauke/mail-rfc";
import { isSignedData, readSignedContent, SIGNED_DATA_HEAD_BYTES } from "./signed-content.ts";

export interface FoundPart {
  kind: "calendar" | "report";
  /** Start of the part's own header; start and end are 0 when the message itself is the part. */
  headerStart: number;
  headerEnd: number;
  /** Start of the content; its end excludes the line end that belongs to the next delimiter. */
  start: number;
  end: number;
  encoding: string;
  /** Declared charset in lower case; `null` when there is none. */
  charset: string | null;
}

export interface FoundCalendars {
  /** Calendar parts that are not signed, in the order of the body. */
  parts: FoundPart[];
  /** Why there may be calendars that are not among `parts`; `null` when there are no others. */
  hidden: "signed" | "unreadable" | null;
}

export interface MessageFields extends Pick<PartHeader, "content" | "contentDisposition" | "encoding"> {
  /** Whether programs may read the message's header in different ways. */
  isAmbiguous: boolean;
  /**
   * All values of the Content-Type, Content-Disposition and Content-Transfer-Encoding fields, if one of these names
   * occurs more than once; otherwise empty.
   */
  alternatives: readonly string[];
}

/** Maximum UTF-16 units of a file name; a longer one counts as a match, since its ending is not read. */
const NAME_MAX = 2000;
/** Maximum Content-Type and Content-Disposition fields examined in an ambiguous message. */
const FIELDS_MAX = 1000;
/** Maximum UTF-16 units examined of each field of an ambiguous message. */
const FIELD_HEAD_MAX = 600;
/** Encoded bytes that are decoded to determine whether content is signed. */
const ENCODED_HEAD_MAX = 8192;

const CALENDAR_TYPE = /calendar|\/(?:[a-z-]*-)?(?:ics|ical|vcs)$/;
/** Types of xCal, jCal (RFC 6321, RFC 7265) and JSCalendar, whose addresses have another syntax. */
const STRUCTURED_CALENDAR_TYPE = /calendar\+(?:xml|json)$/;
const CALENDAR_NAME = /\.(?:ics|ical|icalendar|vcs|ifb)[^\p{L}\p{N}]*$/iu;
const SIGNED_TYPE = /^application\/(?:x-)?pkcs7-mime$/;
const SIGNED_NAME = /\.p7[mz][^\p{L}\p{N}]*$/iu;
const MESSAGE_TYPE = /^message\/(?:rfc822|global|news)$/;
const REPORT_TYPE = /^message\/(?:global-)?(?:disposition-notification|delivery-status)$/;
const MIME_FIELDS: ReadonlySet<string> = new Set(["content-type", "content-disposition", "content-transfer-encoding"]);
const FIELD_START = /^content-(?:type|disposition)[ \t]*:/gim;
const identities: ReadonlySet<string> = new Set(["", "7bit", "8bit", "binary"]);

/** Reads what a message's own header says about its body. */
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

/** Whether a message could hold a calendar at all. Most mail has a single part that is not one. */
export function mayHoldCalendar(message: MessageFields): boolean {
  const { value } = message.content;
  if (message.isAmbiguous || isBeyondReading(message)) return true;
  if (value.startsWith("multipart/") || value.startsWith("message/")) return true;
  return isCalendar(message) || isOpaque(message);
}

/** Input of `findCalendars`. */
export interface CalendarSource {
  /** Content fields of the message's own header. */
  message: MessageFields;
  /** Message body in plain form (not dot-stuffed). */
  body: Buffer;
  budget: ParseBudget;
}

export function findCalendars({ message, body, budget }: CalendarSource): FoundCalendars {
  const search = new Search(body, budget);
  const extent = { headerStart: 0, headerEnd: 0, end: body.length };
  return search.run({ ...message, bodyStart: 0 }, extent, message.alternatives);
}

interface Extent {
  headerStart: number;
  headerEnd: number;
  end: number;
}

interface Place {
  depth: number;
  isSigned: boolean;
  /** Type of a part without Content-Type (RFC 2046 §5.1.5). */
  defaultType?: string;
}

class Search {
  readonly #body: Buffer;
  /** Budget for the whole message, shared with the searches of decoded content. */
  readonly #budget: ParseBudget;
  readonly #parts: FoundPart[] = [];
  #hidden: FoundCalendars["hidden"] = null;
  #isAmbiguous = false;

  constructor(body: Buffer, budget: ParseBudget) {
    this.#body = body;
    this.#budget = budget;
  }

  run(message: PartHeader, extent: Extent, alternatives: readonly string[]): FoundCalendars {
    try {
      this.#visit(message, extent, { depth: 0, isSigned: false });
      return this.#result(alternatives);
    } catch (thrown) {
      if (!(thrown instanceof ParseLimitError)) throw thrown;
      return { parts: this.#parts, hidden: this.#hidden ?? "unreadable" };
    }
  }

  /**
   * Builds the result of the search. If programs could read the message differently, anything that looks like a
   * calendar part hides the invitation.
   * @throws ParseLimitError when the budget is exhausted
   */
  #result(alternatives: readonly string[]): FoundCalendars {
    const [parts, hidden] = [this.#parts, this.#hidden];
    if (hidden !== null || !this.#isAmbiguous) return { parts, hidden };
    const isField = (value: string) => isCalendarField(value, this.#budget);
    const isFound = parts.some(isCalendarPart) || alternatives.some(isField) || this.#hasCalendarField(isField);
    return { parts, hidden: isFound ? "unreadable" : null };
  }

  #visit(part: PartHeader, extent: Extent, place: Place): void {
    this.#isAmbiguous ||= part.isAmbiguous;
    const type = part.content.value === "" ? (place.defaultType ?? "") : part.content.value;
    if (isBeyondReading(part) || STRUCTURED_CALENDAR_TYPE.test(type)) this.#markUnreadable();
    else if (type.startsWith("multipart/")) this.#visitMultipart(part, extent, place);
    else if (MESSAGE_TYPE.test(type)) this.#visitMessage(part, extent, place);
    else if (isCalendar(part)) this.#add("calendar", part, extent, place);
    else if (isOpaque(part)) this.#visitOpaque(part, extent, place);
    else if (REPORT_TYPE.test(type)) this.#add("report", part, extent, place);
  }

  #add(kind: FoundPart["kind"], part: PartHeader, { headerStart, headerEnd, end }: Extent, { isSigned }: Place): void {
    if (isSigned) {
      if (kind === "calendar") this.#hidden ??= "signed";
      return;
    }
    const { bodyStart: start, encoding, content } = part;
    // A charset that the Content-Type gives twice, with different values, counts as unknown.
    const named = content.parameters.has("charset") ? (onlyParameter(content, "charset") ?? "?") : null;
    const charset = named?.trim().toLowerCase() ?? null;
    this.#parts.push({ kind, headerStart, headerEnd, start, end, encoding, charset });
  }

  #visitMultipart(part: PartHeader, { end }: Extent, place: Place): void {
    const boundary = onlyParameter(part.content, "boundary")?.trimEnd() ?? "";
    if (boundary === "") this.#isAmbiguous = true;
    if (boundary === "") return;
    if (/[^ -~]/.test(boundary)) return this.#markUnreadable();
    const isSigned = place.isSigned || part.content.value === "multipart/signed";
    const defaultType = part.content.value === "multipart/digest" ? "message/rfc822" : "text/plain";
    const inside = { depth: place.depth + 1, isSigned, defaultType };
    let isSplit = false;
    for (const [start, partEnd] of this.#split(part.bodyStart, end, boundary)) {
      isSplit = true;
      this.#budget.countPart(inside.depth);
      const child = readPartHeader(this.#body, { start, end: partEnd, budget: this.#budget });
      const extent = { headerStart: start, headerEnd: child.bodyStart, end: Math.max(partEnd, child.bodyStart) };
      this.#visit(child, extent, inside);
      if (this.#hidden !== null) return;
    }
    if (isSplit) return;
    // No delimiter line was found. Another program may read another boundary and find parts: the message is ambiguous.
    this.#isAmbiguous = true;
    // Encoded multiparts violate RFC 2045 §6.4, but some programs decode them.
    if (!identities.has(part.encoding)) this.#visitEncoded(part, end, place);
  }

  #visitMessage(part: PartHeader, { end }: Extent, { depth, isSigned }: Place): void {
    // Mail programs do not act on an attached message before a person opens it.
    if (/^\s*attachment\b/i.test(part.contentDisposition)) return;
    this.#budget.countPart(depth + 1);
    if (!identities.has(part.encoding)) this.#visitEncoded(part, end, { depth, isSigned });
    const inner = readPartHeader(this.#body, { start: part.bodyStart, end, budget: this.#budget });
    const extent = { headerStart: part.bodyStart, headerEnd: inner.bodyStart, end: Math.max(end, inner.bodyStart) };
    this.#visit(inner, extent, { depth: depth + 1, isSigned });
  }

  /**
   * Searches a part whose content is encoded. A calendar found in it cannot be changed in place, so the message counts
   * as unreadable.
   */
  #visitEncoded(part: PartHeader, end: number, place: Place): void {
    const decoded = this.#decode(part, end);
    if (decoded === null) return this.#markUnreadable();
    const isMultipart = part.content.value.startsWith("multipart/");
    const plain = { ...part, encoding: "", isAmbiguous: false };
    if (this.#isFoundIn(decoded, place, isMultipart ? plain : null)) this.#hidden ??= "unreadable";
  }

  #visitOpaque(part: PartHeader, { end }: Extent, place: Place): void {
    const head = this.#decode(part, Math.min(end, part.bodyStart + ENCODED_HEAD_MAX));
    // Content that is not SignedData is usually encrypted and may be as large as a message, so the rest of it is not
    // decoded.
    if (head !== null && head.length >= SIGNED_DATA_HEAD_BYTES && !isSignedData(head)) return;
    const der = this.#decode(part, end);
    if (der === null) return this.#markUnreadable();
    const content = readSignedContent(der, this.#budget);
    if (content === null) return;
    if (content === "unreadable") return this.#markUnreadable();
    if (this.#isFoundIn(content, place, null)) this.#hidden ??= "signed";
  }

  /**
   * Whether decoded content holds a calendar or may hide one. The content counts as one more level of the same message.
   * @param header header of the content; `null` when the content begins with its own
   * @throws ParseLimitError when the budget is exhausted
   */
  #isFoundIn(content: Buffer, { depth }: Place, header: PartHeader | null): boolean {
    this.#budget.countPart(depth + 1);
    const read = header ?? readPartHeader(content, { start: 0, end: content.length, budget: this.#budget });
    const search = new Search(content.subarray(header === null ? read.bodyStart : 0), this.#budget);
    const extent = { headerStart: 0, headerEnd: 0, end: search.#body.length };
    search.#visit({ ...read, bodyStart: 0 }, extent, { depth: depth + 1, isSigned: false });
    const { parts, hidden } = search.#result([]);
    return hidden !== null || parts.some(isCalendarPart);
  }

  /**
   * Decodes the body of a part by its transfer encoding.
   * @returns `null` for an unknown encoding
   * @throws ParseLimitError when the budget is exhausted
   */
  #decode({ bodyStart, encoding }: PartHeader, end: number): Buffer | null {
    const content = this.#body.subarray(bodyStart, end);
    if (identities.has(encoding)) return content;
    if (encoding === "base64") {
      this.#budget.spend(content.length * costNs.base64Byte);
      return Buffer.from(content.toString("latin1"), "base64");
    }
    if (encoding !== "quoted-printable") return null;
    this.#budget.spend(content.length * costNs.quotedPrintableByte);
    return Buffer.from(decodeQuotedPrintable(content.toString("latin1")), "latin1");
  }

  /** Yields start and end of the parts between delimiter lines. @throws ParseLimitError */
  *#split(start: number, end: number, boundary: string): Generator<[start: number, end: number]> {
    const delimiter = Buffer.from(`--${boundary}`, "latin1");
    let partStart = -1;
    let isClosed = false;
    for (const line of delimiterLines({ bytes: this.#body, start, end, delimiter, budget: this.#budget })) {
      const { at, before, lineEnd, isWhole } = line;
      // Programs differ in whether a line with more text after the delimiter counts, and whether a bare CR or LF ends a
      // line.
      const isClear = (before === "" || before === "\r\n") && lineEnd !== "\r" && lineEnd !== "\n";
      if (!isWhole || isClosed || !isClear) this.#isAmbiguous = true;
      if (!isWhole) continue;
      if (partStart >= 0) yield [partStart, Math.max(partStart, at - before.length)];
      partStart = line.isClosing ? -1 : line.end;
      isClosed ||= line.isClosing;
    }
    if (partStart >= 0) yield [partStart, end];
  }

  /**
   * Whether any line of the body looks like a Content-Type or Content-Disposition field of a calendar part, or there
   * are too many such fields to check.
   * @throws ParseLimitError when the budget is exhausted
   */
  #hasCalendarField(isField: (value: string) => boolean): boolean {
    this.#budget.spend(this.#body.length * costNs.shortSearchedByte);
    const text = this.#body.toString("latin1");
    let left = FIELDS_MAX;
    FIELD_START.lastIndex = 0;
    for (let found = FIELD_START.exec(text); found !== null; found = FIELD_START.exec(text)) {
      if (left-- === 0) return true;
      const field = text.slice(FIELD_START.lastIndex, FIELD_START.lastIndex + FIELD_HEAD_MAX);
      const [value = ""] = field.split(/(?:\r\n|\r|\n)(?![ \t])/, 1);
      if (isField(value.replace(/[\r\n]+/g, "").trim())) return true;
    }
    return false;
  }

  #markUnreadable(): void {
    this.#hidden ??= "unreadable";
  }
}

/** Whether Content-Type or Content-Disposition exceeds the parsed length, so that the rest may name anything. */
function isBeyondReading({ content, contentDisposition }: Described): boolean {
  return content.isCut || contentDisposition.length > CONTENT_FIELD_MAX;
}

type Described = Pick<PartHeader, "content" | "contentDisposition">;

function isCalendar(part: Described): boolean {
  return CALENDAR_TYPE.test(part.content.value) || isNamed(part, CALENDAR_NAME);
}

function isOpaque(part: Described): boolean {
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

const isCalendarPart = ({ kind }: FoundPart) => kind === "calendar";

/**
 * Whether a field may belong to a calendar part or to an opaquely signed one.
 * @param value value of Content-Type or Content-Disposition, unfolded
 * @throws ParseLimitError when the budget is exhausted
 */
function isCalendarField(value: string, budget: ParseBudget): boolean {
  budget.spendOnParameters(value);
  const field = { content: readContentParameters(value), contentDisposition: value };
  return isBeyondReading(field) || isCalendar(field) || isOpaque(field);
}
