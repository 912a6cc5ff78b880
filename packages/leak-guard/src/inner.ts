import type { PartKind, PartPlace } from "@kauke/mail-rfc";
import type { Boundary } from "./mailbox-pattern.ts";
import type { Packing } from "./unpack/inflate.ts";
import type { Unsearchable } from "./unpack/unpack-limits.ts";

export interface Inner {
  bytes: Buffer;
  packing?: Packing | undefined;
  /** Kind of the data when it differs from that of the enclosing part. */
  kind?: PartKind;
  /** Whether PDF string syntax has to be decoded in the data. */
  isPdf?: boolean;
  /** Whether this is another decoding of unpacked data: it is searched, not unpacked again. */
  isView?: boolean;
  /** Which addresses count in the data; by default only separate ones. */
  boundary?: Boundary;
}

/** A found leak. Contains no text of the message; `destination` in the caller's spelling. */
export type LeakFinding =
  | { leak: "address"; destination: string; place: PartPlace }
  | { leak: Unsearchable; place: PartPlace };
