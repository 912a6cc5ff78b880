/** Encrypts. A file without recipients is refused, instead of being written so that nobody can open it. */
import { Encrypter } from "age-encryption";
import { AgeError, failAs, passwordFailure } from "./age-error.ts";
import { armor } from "./format/armor.ts";
import { guardedStream } from "./format/guarded-stream.ts";
import { AGE_FILE_MAX_BYTES, AGE_TEXT_MAX_BYTES, AGE_WORK_FACTOR } from "./limits.ts";
import { normalisePassword, type PasswordCipher, passwordRecipient } from "./password/password-cipher.ts";
import { readRecipients } from "./public-key.ts";
import { requireWebCrypto } from "./web-crypto.ts";

/** A password takes a second and 256 MiB; without `passwordCipher` scrypt runs in JavaScript. */
export type EncryptTo = { publicKeys: readonly string[] } | { password: string; passwordCipher?: PasswordCipher };

/**
 * Encrypts to a binary file, larger by at least 182 bytes with a password, 200 with an X25519 key, 1,659 with a
 * post-quantum key.
 * @throws AgeError `no_recipients`, `mixed_recipients`, `bad_public_key`, `bad_password`, `too_large`, `out_of_memory`,
 * `insecure_context`
 */
export async function encrypt(plaintext: Uint8Array, to: EncryptTo): Promise<Uint8Array> {
  const encrypter = encrypterTo(to);
  if (plaintext.length > AGE_FILE_MAX_BYTES) throw new AgeError("too_large");
  return failAs(failureOf(to), () => encrypter.encrypt(plaintext));
}

/** Encrypts a text of at most 1 MiB of UTF-8 to armor. @throws AgeError as `encrypt`, and `not_text` */
export async function encryptText(text: string, to: EncryptTo): Promise<string> {
  if (text.length > AGE_TEXT_MAX_BYTES) throw new AgeError("too_large");
  if (!text.isWellFormed()) throw new AgeError("not_text");
  const plaintext = new TextEncoder().encode(text);
  if (plaintext.length > AGE_TEXT_MAX_BYTES) throw new AgeError("too_large");
  return armor(await encrypt(plaintext, to));
}

/** Encrypts a stream of any length, in chunks of 64 KiB, without armor. @throws AgeError as `encrypt` */
export async function encryptStream(
  plaintext: ReadableStream<Uint8Array>,
  to: EncryptTo,
): Promise<ReadableStream<Uint8Array>> {
  const encrypter = encrypterTo(to);
  return guardedStream("malformed", await failAs(failureOf(to), () => encrypter.encrypt(plaintext)));
}

/** An unexpected error with public keys means that one of them can't be used. */
function failureOf(to: EncryptTo) {
  return "publicKeys" in to ? "bad_public_key" : passwordFailure;
}

function encrypterTo(to: EncryptTo): Encrypter {
  requireWebCrypto();
  const encrypter = new Encrypter();
  if ("publicKeys" in to) {
    for (const recipient of readRecipients(to.publicKeys)) encrypter.addRecipient(recipient);
    return encrypter;
  }
  const password = normalisePassword(to.password);
  if (to.passwordCipher !== undefined) {
    encrypter.addRecipient(passwordRecipient(password, to.passwordCipher));
    return encrypter;
  }
  encrypter.setScryptWorkFactor(AGE_WORK_FACTOR);
  encrypter.setPassphrase(password);
  return encrypter;
}
