/**
 * Error for text that violates a mail standard. Its message is a reason code, followed by a detail only for a setting
 * of the operator, so that text of a remote host (an address, a header) cannot reach a log through the message.
 */
export const mailSyntaxReasons = [
  // Reasons of errors thrown by address.ts, local-part.ts and srs.ts:
  "path_syntax",
  "path_too_long",
  "local_syntax",
  "local_too_long",
  "domain_syntax",
  "domain_too_long",
  "literal_syntax",
  // Reasons of errors thrown by esmtp-params.ts:
  "parameter_syntax",
  "parameter_repeated",
  "parameter_value",
  // Reasons of errors thrown by headers.ts:
  "header_too_large",
  "header_too_many_fields",
  "header_field_too_large",
  // Reason of errors thrown by status-code.ts:
  "reply_syntax",
  // Reason of errors thrown by retry-schedule.ts:
  "schedule_syntax",
  // Reason of errors thrown by message-id.ts:
  "message_id_syntax",
  // Reasons of errors thrown by header-field.ts:
  "field_syntax",
  "field_line_too_long",
] as const;

export type MailSyntaxReason = (typeof mailSyntaxReasons)[number];

export class MailSyntaxError extends Error {
  readonly reason: MailSyntaxReason;
  /** Explanation, set only for text that an operator wrote (a setting), never for text of a remote host. */
  readonly detail: string | null;

  constructor(reason: MailSyntaxReason, detail: string | null = null) {
    super(detail === null ? reason : `${reason}: ${detail}`);
    this.name = "MailSyntaxError";
    this.reason = reason;
    this.detail = detail;
  }
}
