import type { PartPlace } from "@kauke/mail-rfc";

/** Why a part could not be searched completely; the message is then refused. */
export type Unsearchable = "unpacks_too_far" | "too_many_members" | "too_deep";

/** Contains no text of the message; `destination` is the mailbox in the caller's spelling. */
export type LeakFinding =
  | { leak: "address"; destination: string; place: PartPlace }
  | { leak: Unsearchable; place: PartPlace };
