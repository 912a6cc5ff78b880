/**
 * Recognizes delivery reports, ours and those of other programs, by their form; only these are accepted at bounce
 * addresses. The caller checks that the envelope sender is null. Since anybody can write a report, only two facts are
 * read, each from a closed set, and no address.
 */
import { firstValue, type HeaderBlock, readHeader } from "../header/headers.ts";
import { MailSyntaxError } from "../mail-syntax-error.ts";

/** Bytes at the start of the body in which known first words of reports are searched. */
const BODY_BYTES = 2048;

/** Subjects of common delivery reports that are not multipart/report. */
const SUBJECT =
  /^(?:re: |fwd: )?(?:undeliver(?:ed|able)|delivery (?:status notification|failure|has failed|report|delayed)|mail delivery (?:failed|failure|system|subsystem)|mail system error|returned mail|failure notice|message (?:not delivered|undeliverable)|warning: (?:could not send|message)|non.?delivery|nicht zugestellt|unzustellbar)/i;
const DAEMON = /(?:^|<|\s|")(?:mailer-daemon|postmaster|mail-daemon|mailerdaemon)(?:@|>|\s|$)/i;
// First lines of reports by qmail, Exim and Postfix.
const BODY =
  /^\s*(?:Hi\. This is the |This message was created automatically by mail delivery software|This is the mail system at host )/i;

/** Subjects of reports that say delivery is still being tried. */
const DELAY = /delayed|warning|could not be sent (?:yet|for)|still being retried/i;
/** Bytes read after the header: the machine-readable part comes first or second, the returned original last. */
const READ_BYTES = 131_072;
const STATUS_PART = /^content-type:[ \t]*message\/(?:global-)?delivery-status/im;
const ACTION = /^action:[ \t]*([a-z]{1,16})/gim;
/**
 * Enhanced status (RFC 3463), limited to subjects and details in use; arbitrary digits could carry a hidden message.
 */
const FAILED_STATUS = /^status:[ \t]*(5\.[0-7]\.(?:[12]?[0-9]))(?![0-9.])/im;

export interface DeliveryReportFacts {
  /** Whether delivery to a recipient failed permanently; false for reports of delay, relaying or success. */
  hasFailed: boolean;
  /** Enhanced status (RFC 3463) of class 5; `5.0.0` when the report gives no known one. */
  enhancedStatus: string;
}

/**
 * Reads what a delivery report says.
 * @param message the whole message, wire or plain form
 * @returns `null` when the message is not a delivery report
 */
export function readDeliveryReport(message: Buffer): DeliveryReportFacts | null {
  if (!isDeliveryReport(message)) return null;
  const { fields, end } = readHeader(message);
  const subject = (firstValue(message, fields, "subject") ?? "").slice(0, 1000);
  const status = statusPart(message.toString("latin1", 0, end + READ_BYTES));
  const actions = [...status.matchAll(ACTION)].map(([, action = ""]) => action.toLowerCase());
  const hasFailed = actions.length > 0 ? actions.includes("failed") : !DELAY.test(subject);
  return { hasFailed, enhancedStatus: FAILED_STATUS.exec(status)?.[1] ?? "5.0.0" };
}

/**
 * @returns the text from the status part's Content-Type to the next boundary; empty when the report has no such part
 */
function statusPart(text: string): string {
  const start = text.search(STATUS_PART);
  if (start < 0) return "";
  const end = text.indexOf("\n--", start);
  return end < 0 ? text.slice(start) : text.slice(start, end);
}

/** Whether a message is a delivery report. @param message the whole message, wire or plain form */
export function isDeliveryReport(message: Buffer): boolean {
  try {
    const block = readHeader(message);
    return hasReportForm(message, block) || hasBounceForm(message, block);
  } catch (thrown) {
    if (thrown instanceof MailSyntaxError) return false;
    throw thrown;
  }
}

/** Recognizes RFC 6522 reports of delivery (not read receipts or abuse complaints), and Exim's own field. */
function hasReportForm(message: Buffer, { fields }: HeaderBlock): boolean {
  const type = (firstValue(message, fields, "content-type") ?? "").slice(0, 2048).replace(/\s+/g, "").toLowerCase();
  if (type.startsWith("message/delivery-status")) return true;
  if (type.startsWith("multipart/report")) {
    const kind = /;report-type="?([^";]*)/.exec(type)?.[1];
    return kind === undefined || kind === "delivery-status" || kind === "global-delivery-status";
  }
  return fields.some(({ name }) => name === "x-failed-recipients");
}

/** Recognizes reports without a standard form: from a mail daemon, with a known subject or first words. */
function hasBounceForm(message: Buffer, { fields, end }: HeaderBlock): boolean {
  const from = (firstValue(message, fields, "from") ?? "").slice(0, 1000);
  if (!DAEMON.test(from)) return false;
  const subject = (firstValue(message, fields, "subject") ?? "").slice(0, 1000);
  return SUBJECT.test(subject) || BODY.test(message.toString("latin1", end, end + BODY_BYTES));
}
