/** Thrown when a copy could not be encrypted: the mail waits, and is never sent unencrypted. */
export class EncryptionFailed extends Error {
  override name = "EncryptionFailed";
}
