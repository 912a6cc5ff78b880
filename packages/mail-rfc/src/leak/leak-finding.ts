/**
 * Result of the leak guard: where in a message a mailbox of the owner was found, or which part could not be searched.
 * Contains no text of the message; `destination` is the mailbox in the caller's spelling.
 */

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

export interface LeakPlace {
  /** Part number as IMAP assigns it (RFC 3501 §6.4.5), e.g. "2" or "2.1"; "" for the message itself. */
  part: string;
  kind: PartKind;
  /** Line number in the decoded text of the part, from 1; `null` for data without lines. */
  line: number | null;
}

/** Why a part could not be searched completely; the message is then refused. */
export type Unsearchable = "unpacks_too_far" | "too_many_members" | "too_deep";

export type LeakFinding =
  | { leak: "address"; destination: string; place: LeakPlace }
  | { leak: Unsearchable; place: LeakPlace };
