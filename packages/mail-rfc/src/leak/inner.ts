/** What lies inside a container, as every unpacker gives it. */

import type { PartKind } from "./leak-finding.ts";
import type { Packing } from "./unpack/inflate.ts";

export interface Inner {
  bytes: Buffer;
  /** The bytes are to be inflated first. */
  packing?: Packing | undefined;
  /** When it is something else than the part it lies in. */
  kind?: PartKind;
  /** PDF syntax is undone in it. */
  isPdf?: boolean;
  /** A view of bytes that were looked into already: searched and not unpacked. */
  isView?: boolean;
}
