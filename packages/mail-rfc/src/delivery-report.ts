/**
 * Recognises delivery reports, ours and other programs': what a bounce address takes and nothing else. By form only; that the
 * envelope sender is null is the caller's to check.
 */
import { firstValue, type HeaderBlock, readHeader } from "./headers.ts";
import { MailSyntaxError } from "./mail-syntax-error.ts";

const BODY_BYTES = 2048;

/** Subjects of the common programs' reports that are no multipart/report. */
const SUBJECT =
  /^(?:re: |fwd: )?(?:undeliver(?:ed|able)|delivery (?:status notification|failure|has failed|report|delayed)|mail delivery (?:failed|failure|system|subsystem)|mail system error|returned mail|failure notice|message (?:not delivered|undeliverable)|warning: (?:could not send|message)|non.?delivery|nicht zugestellt|unzustellbar)/i;
const DAEMON = /(?:^|<|\s|")(?:mailer-daemon|postmaster|mail-daemon|mailerdaemon)(?:@|>|\s|$)/i;
// qmail's first line, Exim's, Postfix's.
const BODY =
  /^\s*(?:Hi\. This is the |This message was created automatically by mail delivery software|This is the mail system at host )/i;

/** @param message the whole message, wire or plain form */
export function isDeliveryReport(message: Buffer): boolean {
  try {
    const block = readHeader(message);
    return hasReportForm(message, block) || hasBounceForm(message, block);
  } catch (thrown) {
    if (thrown instanceof MailSyntaxError) return false;
    throw thrown;
  }
}

/** RFC 6522; a report of another type (a read receipt, an abuse complaint) is none of delivery. Exim adds its own field. */
function hasReportForm(message: Buffer, { fields }: HeaderBlock): boolean {
  const type = (firstValue(message, fields, "content-type") ?? "").slice(0, 2048).replace(/\s+/g, "").toLowerCase();
  if (type.startsWith("message/delivery-status")) return true;
  if (type.startsWith("multipart/report")) {
    const kind = /;report-type="?([^";]*)/.exec(type)?.[1];
    return kind === undefined || kind === "delivery-status" || kind === "global-delivery-status";
  }
  return fields.some(({ name }) => name === "x-failed-recipients");
}

/** From a mail daemon, and says so in its subject or first words. */
function hasBounceForm(message: Buffer, { fields, end }: HeaderBlock): boolean {
  const from = (firstValue(message, fields, "from") ?? "").slice(0, 1000);
  if (!DAEMON.test(from)) return false;
  const subject = (firstValue(message, fields, "subject") ?? "").slice(0, 1000);
  return SUBJECT.test(subject) || BODY.test(message.toString("latin1", end, end + BODY_BYTES));
}
