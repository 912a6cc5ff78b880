/**
 * The only error class of this package. Its message is the code alone and it has no cause: the library's own messages
 * can contain the secret key ("Invalid checksum in AGE-SECRET-KEY-1…"), so none of them ever leaves this package.
 */
export const ageErrorCodes = [
  /** The input is neither armor nor begins like a binary age file. */
  "not_age",
  /** Armor, header, MAC or payload is damaged. One code for all of them, so that errors give an attacker no oracle. */
  "malformed",
  /** The input exceeds one of the limits of limits.ts. */
  "too_large",
  "work_factor_too_high",
  "wrong_password",
  /** The password is empty or exceeds its limit. */
  "bad_password",
  /** The file was encrypted to other keys. */
  "no_matching_key",
  "bad_private_key",
  /** The text is not a public key, or nothing can be encrypted to the key (a low-order point). */
  "bad_public_key",
  "no_recipients",
  /**
   * Classic and post-quantum recipients together: the file would have classic security only, and age 1.3 refuses it.
   */
  "mixed_recipients",
  /**
   * The decrypted content is not UTF-8 text, or the text to encrypt contains an unpaired surrogate, which UTF-8 can't
   * encode.
   */
  "not_text",
  /** The 256 MiB that a password needs could not be allocated, e.g. on a small phone. */
  "out_of_memory",
  /** A stored private key in another format than ours, e.g. an older one, which has to be created again. */
  "not_protected_key",
  /** Web Crypto is missing: the page was loaded over plain http and not from localhost. */
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

/** Runs `work`; an error that is not an AgeError is thrown as an AgeError with the given code instead. */
export async function failAs<T>(
  code: AgeErrorCode | ((thrown: unknown) => AgeErrorCode),
  work: () => T | Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof AgeError) throw thrown;
    throw new AgeError(typeof code === "string" ? code : code(thrown));
  }
}

/**
 * Error code for a failed password operation. Salt and lengths were checked before, so a RangeError means that memory
 * could not be allocated.
 */
export function passwordFailure(thrown: unknown): AgeErrorCode {
  return thrown instanceof RangeError ? "out_of_memory" : "malformed";
}
