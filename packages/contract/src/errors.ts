/**
 * The closed set of error codes of the API. Core throws them as `AppError`; the HTTP edge (`http/response/problem.ts`)
 * translates them exhaustively: adding a code makes it fail to compile. What mail is refused for is a set of its own
 * (`MailRefusal` in `mail/reply.ts`).
 */
import type { WalletChallenge } from "./account/wallet.ts";

export const errorCodes = [
  // Errors of any request:
  "invalid",
  "not_json",
  "too_large",
  "not_signed_in",
  "cross_site",
  "forbidden",
  "not_found",
  "rate_limited",
  "busy",
  "unavailable",
  "internal",
  // Errors of accounts and sign-in:
  "email_taken",
  "credentials_wrong",
  "sign_in_by_link",
  "wallet_unproven",
  "proof_needed",
  "last_way_in",
  "way_in_taken",
  "key_invalid",
  "key_scope",
  // Errors of aliases:
  "alias_taken",
  "alias_reserved",
  "alias_released",
  "alias_changed",
  "no_free_name",
  "no_mailbox",
  "mailbox_needed",
  "smtp_credential_exists",
  // Errors of encryption keys and decryption:
  "master_password_wrong",
  "key_not_protected",
  "key_in_use",
  "no_matching_key",
  "age_damaged",
  "private_key_invalid",
  "not_text",
  // Errors of composed mail:
  "too_late",
  // Errors of mail that a call or a mail program sends:
  "message_too_large",
  "spool_quota",
  "spool_failed",
] as const;

export type ErrorCode = (typeof errorCodes)[number];

/** Messages by field name, in the wording of the specification's section 8. */
export type FieldErrors = Record<string, string[]>;

/** Body of every error answer of the HTTP API. */
export interface ProblemBody {
  /** Present only in answers of routes whose successful answers carry `success` too. */
  success?: false;
  message: string;
  code: ErrorCode;
  errors?: FieldErrors;
  rateLimited?: true;
  /** ISO 8601; when the rate limit allows the next request. */
  resetTime?: string;
  /** Only on a sign-in by wallet without a signature: what the wallet has to sign. */
  challenge?: WalletChallenge;
}
