/**
 * The one error this package throws. Its message is the code alone and it has no cause: the library's own messages can hold
 * the secret key ("Invalid checksum in AGE-SECRET-KEY-1…"), so none of them ever leaves this package.
 */
export const ageErrorCodes = [
  /** Neither armor nor the first line of an age file. */
  "not_age",
  /** Armor, header, MAC or payload is damaged; one code for all of them, so that answers are no oracle. */
  "malformed",
  /** Over one of the limits of limits.ts. */
  "too_large",
  "work_factor_too_high",
  "wrong_password",
  /** An empty password, or one over its limit. */
  "bad_password",
  /** The file was made for other keys. */
  "no_matching_key",
  "bad_private_key",
  /** Not a public key, or one nothing can be encrypted to (a low-order point). */
  "bad_public_key",
  "no_recipients",
  /** Classic beside post-quantum: the file would be only classically safe, and age 1.3 refuses it. */
  "mixed_recipients",
  /** Opened, but the content is not UTF-8 text. */
  "not_text",
  /** A stored key in another form than ours: an older format, to be made anew. */
  "not_protected_key",
  /** No Web Crypto here: a page on plain http that is not localhost. */
  "insecure_context",
] as const;

export type AgeErrorCode = (typeof ageErrorCodes)[number];

export class AgeError extends Error {
  readonly code: AgeErrorCode;

  constructor(code: AgeErrorCode) {
    super(code);
    this.name = "AgeError";
    this.code = code;
  }
}

/** Does the work; whatever it throws that is not ours becomes `code`. */
export async function failAs<T>(code: AgeErrorCode, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw thrown instanceof AgeError ? thrown : new AgeError(code);
  }
}
