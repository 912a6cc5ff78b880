/** Codes of syntax errors, used as the error's message so that text of a remote host can't reach a log. */
export const mailSyntaxReasons = [
  "path_syntax",
  "path_too_long",
  "local_syntax",
  "local_too_long",
  "domain_syntax",
  "domain_too_long",
  "literal_syntax",
  "parameter_syntax",
  "parameter_repeated",
  "parameter_value",
  "header_too_large",
  "header_too_many_fields",
  "header_field_too_large",
  "reply_syntax",
  "schedule_syntax",
  "message_id_syntax",
  "field_syntax",
  "field_line_too_long",
] as const;

export type MailSyntaxReason = (typeof mailSyntaxReasons)[number];

export class MailSyntaxError extends Error {
  readonly reason: MailSyntaxReason;
  /** Detail of an error, only for text that an operator wrote (a setting). */
  readonly detail: string | null;

  constructor(reason: MailSyntaxReason, detail: string | null = null) {
    super(detail === null ? reason : `${reason}: ${detail}`);
    this.name = "MailSyntaxError";
    this.reason = reason;
    this.detail = detail;
  }
}
