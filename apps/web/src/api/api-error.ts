/** Falls back to `{status}: {statusText}` if an error body is not JSON (specification section 8, "General"). */
import type { ErrorCode, FieldErrors, WalletChallenge } from "@kauke/contract";
import { t } from "../texts/texts.ts";

interface Refusal {
  status: number;
  message: string;
  code?: ErrorCode;
  errors?: FieldErrors;
  rateLimited?: boolean;
  resetTime?: string;
  challenge?: WalletChallenge;
}

/** `status` is 0 if there was no response. */
export class ApiError extends Error {
  readonly status: number;
  readonly code?: ErrorCode;
  readonly errors?: FieldErrors;
  readonly rateLimited: boolean;
  readonly resetTime?: string;
  readonly challenge?: WalletChallenge;

  constructor(refusal: Refusal, options?: ErrorOptions) {
    super(refusal.message, options);
    this.name = "ApiError";
    this.status = refusal.status;
    this.code = refusal.code;
    this.errors = refusal.errors;
    this.rateLimited = refusal.rateLimited === true;
    this.resetTime = refusal.resetTime;
    this.challenge = refusal.challenge;
  }
}

export const unreachable = t("The server could not be reached. Check your connection and try again.");

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null ? (parsed as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

export function toApiError(status: number, statusText: string, text: string): ApiError {
  const body = parseObject(text) ?? {};
  const message = typeof body.message === "string" && body.message !== "" ? body.message : `${status}: ${statusText}`;
  return new ApiError({
    status,
    message,
    code: typeof body.code === "string" ? (body.code as ErrorCode) : undefined,
    errors: typeof body.errors === "object" && body.errors !== null ? (body.errors as FieldErrors) : undefined,
    rateLimited: body.rateLimited === true,
    resetTime: typeof body.resetTime === "string" ? body.resetTime : undefined,
    challenge:
      typeof body.challenge === "object" && body.challenge !== null ? (body.challenge as WalletChallenge) : undefined,
  });
}
