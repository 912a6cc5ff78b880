/** Error codes of the API (`http/response/problem.ts`); refusals of mail are `MailRefusal` in `mail/reply.ts`. */
import type { WalletChallenge } from "./account/wallet.ts";

export const errorCodes = [
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
  "email_taken",
  "registration_closed",
  "invite_required",
  "credentials_wrong",
  "sign_in_by_link",
  "wallet_unproven",
  "proof_needed",
  "last_way_in",
  "way_in_taken",
  "key_invalid",
  "key_scope",
  "alias_taken",
  "alias_reserved",
  "alias_released",
  "alias_changed",
  "no_free_name",
  "no_mailbox",
  "mailbox_needed",
  "domain_exists",
  "domain_taken",
  "domain_in_use",
  "smtp_credential_exists",
  "master_password_wrong",
  "key_not_protected",
  "key_in_use",
  "no_matching_key",
  "age_damaged",
  "private_key_invalid",
  "not_text",
  "too_late",
  "job_id_taken",
  "message_too_large",
  "spool_quota",
  "spool_failed",
  "not_possible",
] as const;

export type ErrorCode = (typeof errorCodes)[number];

export type FieldErrors = Record<string, string[]>;

/** From `start` to before `end` in UTF-16 units, as in JavaScript's strings. */
export interface FieldPlace {
  field: string;
  start: number;
  end: number;
}

export interface ProblemBody {
  /** `success` only on routes whose successful responses carry it too. */
  success?: false;
  message: string;
  code: ErrorCode;
  errors?: FieldErrors;
  /** Where in a text that was sent something is wrong. */
  places?: FieldPlace[];
  rateLimited?: true;
  resetTime?: string;
  challenge?: WalletChallenge;
}
