/** Data unpacked from a container or decoded from a text, in the form that every unpacker yields. */

import { type PartKind } from "@kauke/mail-rfc";
import type { Boundary } from "./mailbox-pattern.ts";
import type { Packing } from "./unpack/inflate.ts";

export interface Inner {
  bytes: Buffer;
  /** Compression to undo before the bytes are searched. */
  packing?: Packing | undefined;
  /** Kind of the data, when it differs from that of the enclosing part. */
  kind?: PartKind;
  /** Whether PDF string syntax has to be decoded in the data. */
  isPdf?: boolean;
  /**
   * Whether the bytes are another decoding of data that is unpacked already: they are searched but not unpacked again.
   */
  isView?: boolean;
  /** Which occurrences of an address count in the data; default: those that stand alone. */
  boundary?: Boundary;
}
