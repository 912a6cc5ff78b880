/** Error codes of age operations; messages of the library can contain the secret key and are never passed on. */
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
  /** The public key is invalid, or nothing can be encrypted to it (a low-order point). */
  "bad_public_key",
  "no_recipients",
  /** Post-quantum and classic keys together: the file would have classic security only, and age 1.3 refuses it. */
  "mixed_recipients",
  /** The content is not UTF-8, or the text to encrypt contains an unpaired surrogate. */
  "not_text",
  /** A password needs 256 MiB, which a small phone may lack. */
  "out_of_memory",
  /** The key is in another form than ours, e.g. an older one, and has to be created again. */
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
