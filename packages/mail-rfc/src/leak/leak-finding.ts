/** What the leak guard tells: where an address stands, or which part it could not search. Never the address itself. */

/** What a part is to the person who wrote it. */
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
  /** As IMAP numbers parts (RFC 3501 §6.4.5), e.g. "2" or "2.1"; "" for the message itself. */
  part: string;
  kind: PartKind;
  /** From 1, in the decoded text of the part; `null` where lines mean nothing. */
  line: number | null;
}

/** Why a part can't be searched whole: a message that holds one is refused. */
export type Unsearchable = "unpacks_too_far" | "too_many_members" | "too_deep";

export type LeakFinding =
  | { leak: "address"; destination: string; place: LeakPlace }
  | { leak: Unsearchable; place: LeakPlace };
