/** Label of a key in a list, e.g. `Personal, created 12 Feb 2025`. Pure. */
import type { EncryptionKeyWire } from "@kauke/contract";

const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });

export function keyLabel({ keyName, createdAt }: Pick<EncryptionKeyWire, "keyName" | "createdAt">): string {
  return `${keyName}, created ${day.format(new Date(createdAt))}`;
}
