/**
 * Never has a message of the library or a cause: those can contain the secret key ("Invalid checksum in AGE-SECRET-…").
 */
export const ageErrorCodes = [
  "not_age",
  /** One code for armor, header, MAC and payload, so that errors give an attacker no oracle. */
  "malformed",
  "too_large",
  "work_factor_too_high",
  "wrong_password",
  "bad_password",
  "no_matching_key",
  "bad_private_key",
  /** Or nothing can be encrypted to it (a low-order point). */
  "bad_public_key",
  "no_recipients",
  /** Such a file would have classic security only, and age 1.3 refuses it. */
  "mixed_recipients",
  /** Or the text to encrypt contains an unpaired surrogate. */
  "not_text",
  /** A password needs 256 MiB, which a small phone may lack. */
  "out_of_memory",
  /** Another format than ours, e.g. an older one, which has to be created again. */
  "not_protected_key",
  /** The page was loaded over plain http and not from localhost. */
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

/** Throws anything but an AgeError as an AgeError with this code. */
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

/** Salt and lengths were checked before, so a RangeError means that memory could not be allocated. */
export function passwordFailure(thrown: unknown): AgeErrorCode {
  return thrown instanceof RangeError ? "out_of_memory" : "malformed";
}
