/** Kind of a message part, in the terms of the person who wrote the message. */
export type PartKind =
  | "header"
  | "text"
  | "html"
  | "calendar"
  | "message"
  | "smime"
  | "openpgp"
  | "tnef"
  | "pdf"
  | "archive"
  | "picture"
  | "attachment";

export interface PartPlace {
  /** Part number as IMAP assigns it (RFC 3501 §6.4.5), e.g. "2" or "2.1"; "" for the message itself. */
  part: string;
  kind: PartKind;
  /** Line number in the decoded text of the part, from 1; `null` for data without lines. */
  line: number | null;
}
