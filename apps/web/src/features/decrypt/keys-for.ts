/** Which of a person's keys can open a message: its header names no recipient, only the kind of key. */
import type { EncryptionKeyWire } from "@kauke/contract";
import { t } from "../../texts/texts.ts";

/** @param stanzas `null` if unknown: then any key can be the right one */
export function keysFor(
  keys: readonly EncryptionKeyWire[],
  stanzas: readonly string[] | null,
): readonly EncryptionKeyWire[] {
  if (stanzas === null) return keys;
  const stanzaOf = ({ publicKey }: EncryptionKeyWire) =>
    publicKey.startsWith("age1pq1") ? "mlkem768x25519" : "X25519";
  return keys.filter((key) => stanzas.includes(stanzaOf(key)));
}

/** Why none of the person's keys can be the right one. */
export function noKeyText(stanzas: readonly string[]): string {
  if (stanzas.includes("scrypt"))
    return t(
      "This was encrypted with a password of its own, not for a key. The age program opens it with that password.",
    );
  return t("This was encrypted for another kind of key than yours. If you have its private key, use Manual Decrypt.");
}
