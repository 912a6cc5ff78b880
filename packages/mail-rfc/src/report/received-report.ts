import { firstValue, type HeaderBlock, readHeader } from "../header/headers.ts";
import { MailSyntaxError } from "../mail-syntax-error.ts";

const BODY_BYTES = 2048;

/** Subjects of delivery reports that are not multipart/report. */
const SUBJECT =
  /^(?:re: |fwd: )?(?:undeliver(?:ed|able)|delivery (?:status notification|failure|has failed|report|delayed)|mail delivery (?:failed|failure|system|subsystem)|mail system error|returned mail|failure notice|message (?:not delivered|undeliverable)|warning: (?:could not send|message)|non.?delivery|nicht zugestellt|unzustellbar)/i;
const DAEMON = /(?:^|<|\s|")(?:mailer-daemon|postmaster|mail-daemon|mailerdaemon)(?:@|>|\s|$)/i;
// First lines of reports by qmail, Exim and Postfix.
const BODY =
  /^\s*(?:Hi\. This is the |This message was created automatically by mail delivery software|This is the mail system at host )/i;

const DELAY = /delayed|warning|could not be sent (?:yet|for)|still being retried/i;
/** Bytes searched for the machine-readable part, which comes first or second; the returned original comes last. */
const READ_BYTES = 131_072;
const STATUS_PART = /^content-type:[ \t]*message\/(?:global-)?delivery-status/im;
const ACTION = /^action:[ \t]*([a-z]{1,16})/gim;
/** Status of a failure, limited to subjects and details in use: arbitrary digits could carry a hidden message. */
const FAILED_STATUS = /^status:[ \t]*(5\.[0-7]\.(?:[12]?[0-9]))(?![0-9.])/im;

export interface DeliveryReportFacts {
  /** Whether delivery failed; false for reports of delay, relaying or success. */
  hasFailed: boolean;
  enhancedStatus: string;
}

/** Reads a message in wire or plain form; `null` for anything but a delivery report. */
export function readDeliveryReport(message: Buffer): DeliveryReportFacts | null {
  if (!isDeliveryReport(message)) return null;
  const { fields, end } = readHeader(message);
  const subject = (firstValue(message, fields, "subject") ?? "").slice(0, 1000);
  const status = statusPart(message.toString("latin1", 0, end + READ_BYTES));
  const actions = [...status.matchAll(ACTION)].map(([, action = ""]) => action.toLowerCase());
  const hasFailed = actions.length > 0 ? actions.includes("failed") : !DELAY.test(subject);
  return { hasFailed, enhancedStatus: FAILED_STATUS.exec(status)?.[1] ?? "5.0.0" };
}

/** Text from the status part's Content-Type to the next boundary; empty without one. */
function statusPart(text: string): string {
  const start = text.search(STATUS_PART);
  if (start < 0) return "";
  const end = text.indexOf("\n--", start);
  return end < 0 ? text.slice(start) : text.slice(start, end);
}

export function isDeliveryReport(message: Buffer): boolean {
  try {
    const block = readHeader(message);
    return hasReportForm(message, block) || hasBounceForm(message, block);
  } catch (thrown) {
    if (thrown instanceof MailSyntaxError) return false;
    throw thrown;
  }
}

/** Whether a message is an RFC 6522 report of delivery (not a read receipt or complaint), or has Exim's own field. */
function hasReportForm(message: Buffer, { fields }: HeaderBlock): boolean {
  const type = (firstValue(message, fields, "content-type") ?? "").slice(0, 2048).replace(/\s+/g, "").toLowerCase();
  if (type.startsWith("message/delivery-status")) return true;
  if (type.startsWith("multipart/report")) {
    const kind = /;report-type="?([^";]*)/.exec(type)?.[1];
    return kind === undefined || kind === "delivery-status" || kind === "global-delivery-status";
  }
  return fields.some(({ name }) => name === "x-failed-recipients");
}

/** Whether a message is from a mail daemon, with a known subject or first words. */
function hasBounceForm(message: Buffer, { fields, end }: HeaderBlock): boolean {
  const from = (firstValue(message, fields, "from") ?? "").slice(0, 1000);
  if (!DAEMON.test(from)) return false;
  const subject = (firstValue(message, fields, "subject") ?? "").slice(0, 1000);
  return SUBJECT.test(subject) || BODY.test(message.toString("latin1", end, end + BODY_BYTES));
}

const FEEDBACK_PART = /^content-type:[ \t]*message\/feedback-report/im;
const MAIL_FROM = /^original-mail-from:[ \t]*<?([^\s<>]{1,512})>?[ \t]*\r?$/im;
/** Feedback types of complaints; `not-spam` is the opposite (RFC 6430). */
const COMPLAINT = /^feedback-type:[ \t]*(?:abuse|fraud|virus|other)[ \t]*\r?$/im;

interface FeedbackFacts {
  mailFrom: string;
}

/** Reads a complaint in wire or plain form; `null` when the message is not one. */
export function readFeedbackReport(message: Buffer): FeedbackFacts | null {
  try {
    const { fields, end } = readHeader(message);
    const type = (firstValue(message, fields, "content-type") ?? "").slice(0, 2048).replace(/\s+/g, "").toLowerCase();
    if (!/^multipart\/report;(?:.*;)?report-type="?feedback-report/.test(type)) return null;
    const part = feedbackPart(message.toString("latin1", end, end + READ_BYTES));
    return COMPLAINT.test(part) ? { mailFrom: MAIL_FROM.exec(part)?.[1] ?? "" } : null;
  } catch (thrown) {
    if (thrown instanceof MailSyntaxError) return null;
    throw thrown;
  }
}

function feedbackPart(text: string): string {
  const start = text.search(FEEDBACK_PART);
  if (start < 0) return "";
  const end = text.indexOf("\n--", start);
  return end < 0 ? text.slice(start) : text.slice(start, end);
}
