/**
 * Finds the parts by which a program would act on an invitation (RFC 6047), at any depth, in attached messages that are
 * shown inline, under signatures. If programs could read the message differently, or a limit is reached, forwarding
 * hides the invitation.
 */

import {
  costNs,
  decodeQuotedPrintable,
  delimiterLines,
  onlyParameter,
  type ParseBudget,
  ParseLimitError,
  type PartHeader,
  readPartHeader,
} from "@kauke/mail-rfc";
import {
  hasCalendarField,
  isBeyondReading,
  isCalendar,
  isCalendarField,
  isOpaque,
  type MessageFields,
} from "./calendar-fields.ts";
import { isSignedData, readSignedContent, SIGNED_DATA_HEAD_BYTES } from "./signed-content.ts";

export interface FoundPart {
  kind: "calendar" | "report";
  /** Offset of the part's header; 0 when the message itself is the part. */
  headerStart: number;
  headerEnd: number;
  /** Content of the part; its end excludes the line end of the next delimiter. */
  start: number;
  end: number;
  encoding: string;
  charset: string | null;
}

export interface FoundCalendars {
  parts: FoundPart[];
  hidden: "signed" | "unreadable" | null;
}

/** Encoded bytes to decode to see whether content is signed. */
const ENCODED_HEAD_MAX = 8192;

/** xCal, jCal (RFC 6321, RFC 7265) and JSCalendar write addresses in another syntax. */
const STRUCTURED_CALENDAR_TYPE = /calendar\+(?:xml|json)$/;
const MESSAGE_TYPE = /^message\/(?:rfc822|global|news)$/;
const REPORT_TYPE = /^message\/(?:global-)?(?:disposition-notification|delivery-status)$/;
const identities: ReadonlySet<string> = new Set(["", "7bit", "8bit", "binary"]);

export interface CalendarSource {
  message: MessageFields;
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

  /** If programs could read a message differently, any likely calendar hides the invitation. @throws ParseLimitError */
  #result(alternatives: readonly string[]): FoundCalendars {
    const [parts, hidden] = [this.#parts, this.#hidden];
    if (hidden !== null || !this.#isAmbiguous) return { parts, hidden };
    const isField = (value: string) => isCalendarField(value, this.#budget);
    const isFound =
      parts.some(isCalendarPart) || alternatives.some(isField) || hasCalendarField(this.#body, this.#budget);
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
    // A charset given twice, with different values, is unknown.
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
    // Another program may read another boundary and find parts.
    this.#isAmbiguous = true;
    // Against RFC 2045 §6.4, but some programs decode them.
    if (!identities.has(part.encoding)) this.#visitEncoded(part, end, place);
  }

  #visitMessage(part: PartHeader, { end }: Extent, { depth, isSigned }: Place): void {
    // Programs do not act on an attached message before a person opens it.
    if (/^\s*attachment\b/i.test(part.contentDisposition)) return;
    this.#budget.countPart(depth + 1);
    if (!identities.has(part.encoding)) this.#visitEncoded(part, end, { depth, isSigned });
    const inner = readPartHeader(this.#body, { start: part.bodyStart, end, budget: this.#budget });
    const extent = { headerStart: part.bodyStart, headerEnd: inner.bodyStart, end: Math.max(end, inner.bodyStart) };
    this.#visit(inner, extent, { depth: depth + 1, isSigned });
  }

  /** A calendar in encoded content can't be changed in place. */
  #visitEncoded(part: PartHeader, end: number, place: Place): void {
    const decoded = this.#decode(part, end);
    if (decoded === null) return this.#markUnreadable();
    const isMultipart = part.content.value.startsWith("multipart/");
    const plain = { ...part, encoding: "", isAmbiguous: false };
    if (this.#isFoundIn(decoded, place, isMultipart ? plain : null)) this.#hidden ??= "unreadable";
  }

  #visitOpaque(part: PartHeader, { end }: Extent, place: Place): void {
    const head = this.#decode(part, Math.min(end, part.bodyStart + ENCODED_HEAD_MAX));
    // Usually encrypted and as large as a message, so the rest is not decoded.
    if (head !== null && head.length >= SIGNED_DATA_HEAD_BYTES && !isSignedData(head)) return;
    const der = this.#decode(part, end);
    if (der === null) return this.#markUnreadable();
    const content = readSignedContent(der, this.#budget);
    if (content === null) return;
    if (content === "unreadable") return this.#markUnreadable();
    if (this.#isFoundIn(content, place, null)) this.#hidden ??= "signed";
  }

  /**
   * Whether decoded content contains or hides a calendar.
   * @param header `null` when the content begins with its own
   * @throws ParseLimitError
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

  /** @throws ParseLimitError */
  *#split(start: number, end: number, boundary: string): Generator<[start: number, end: number]> {
    const delimiter = Buffer.from(`--${boundary}`, "latin1");
    let partStart = -1;
    let isClosed = false;
    for (const line of delimiterLines({ bytes: this.#body, start, end, delimiter, budget: this.#budget })) {
      const { at, before, lineEnd, isWhole } = line;
      // Programs differ about more text after a delimiter, and about a bare CR or LF.
      const isClear = (before === "" || before === "\r\n") && lineEnd !== "\r" && lineEnd !== "\n";
      if (!isWhole || isClosed || !isClear) this.#isAmbiguous = true;
      if (!isWhole) continue;
      if (partStart >= 0) yield [partStart, Math.max(partStart, at - before.length)];
      partStart = line.isClosing ? -1 : line.end;
      isClosed ||= line.isClosing;
    }
    if (partStart >= 0) yield [partStart, end];
  }

  #markUnreadable(): void {
    this.#hidden ??= "unreadable";
  }
}

const isCalendarPart = ({ kind }: FoundPart) => kind === "calendar";
