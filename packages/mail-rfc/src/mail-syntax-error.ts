/**
 * The one error this package throws: text that the mail standards do not allow. Its message is the reason word alone, so
 * nothing a peer wrote (an address, a header) can reach a log through it.
 */
export const mailSyntaxReasons = [
  // address.ts
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
  // headers.ts
  "header_too_large",
  "header_too_many_fields",
  "header_field_too_large",
  // status-code.ts
  "reply_syntax",
  // retry-schedule.ts
  "schedule_syntax",
  // message-id.ts
  "message_id_syntax",
  // header-field.ts
  "field_syntax",
  "field_line_too_long",
] as const;

export type MailSyntaxReason = (typeof mailSyntaxReasons)[number];

export class MailSyntaxError extends Error {
  readonly reason: MailSyntaxReason;
  /** Only for text an operator wrote (a setting); never for what a peer sent. */
  readonly detail: string | null;

  constructor(reason: MailSyntaxReason, detail: string | null = null) {
    super(detail === null ? reason : `${reason}: ${detail}`);
    this.name = "MailSyntaxError";
    this.reason = reason;
    this.detail = detail;
  }
}
