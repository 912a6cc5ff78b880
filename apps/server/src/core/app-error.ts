/** The one error class of the product. Throw it for a broken promise or a refused wish; the edges translate its code. */
import type { ErrorCode, FieldErrors, WalletChallenge } from "@kauke/contract";

/** What a code may carry; everything here may reach the person who asked, so no secret and no address goes in. */
export interface ErrorDetails {
  /** Replaces the fixed sentence of the code (specification's own wording). */
  message?: string;
  errors?: FieldErrors;
  resetAt?: Date;
  /** What to sign, with `wallet_unproven`. */
  challenge?: WalletChallenge;
}

export class AppError extends Error {
  override name = "AppError";
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  /** @param cause kept for the log by class only; its text never leaves the process */
  constructor(code: ErrorCode, details: ErrorDetails = {}, cause?: unknown) {
    super(code, { cause });
    this.code = code;
    this.details = details;
  }
}

/** One field is wrong: 400 with the specification's message under that field. */
export function fieldError(field: string, message: string): AppError {
  return new AppError("invalid", { message, errors: { [field]: [message] } });
}
