/** The program's only error class. HTTP and SMTP translate its code. */
import type { ErrorCode, FieldErrors, FieldPlace, WalletChallenge } from "@kauke/contract";
import { QueueRefusal } from "../runtime/fair-queue/fair-queue.ts";

/** Details are sent to the client as a whole, so they must contain no secret and no address. */
export interface ErrorDetails {
  /** Replaces the code's default sentence where the specification prescribes another. */
  message?: string;
  errors?: FieldErrors;
  places?: FieldPlace[];
  resetAt?: Date;
  challenge?: WalletChallenge;
}

export class AppError extends Error {
  override name = "AppError";
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  /** @param cause only its class is logged, since its text must never leave the process */
  constructor(code: ErrorCode, details: ErrorDetails = {}, cause?: unknown) {
    super(code, { cause });
    this.code = code;
    this.details = details;
  }
}

export function asAppError(thrown: unknown): AppError | null {
  if (thrown instanceof AppError) return thrown;
  return thrown instanceof QueueRefusal ? new AppError(thrown.code) : null;
}

export const notFound = (message: string): AppError => new AppError("not_found", { message });

export function fieldError(field: string, message: string): AppError {
  return new AppError("invalid", { message, errors: { [field]: [message] } });
}
