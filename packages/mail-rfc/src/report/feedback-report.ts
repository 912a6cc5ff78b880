/**
 * Recognizes feedback reports (ARF, RFC 5965): a reader marked a message as spam, and their provider reports it to the
 * sender. Since anybody can write one, only the envelope sender of the reported message is read: the caller can verify
 * that it is one of our bounce addresses.
 */
import { firstValue, readHeader } from "../header/headers.ts";
import { MailSyntaxError } from "../mail-syntax-error.ts";

/** Bytes read after the header: the machine-readable part comes second, the returned message last. */
const READ_BYTES = 131_072;
const FEEDBACK_PART = /^content-type:[ \t]*message\/feedback-report/im;
const MAIL_FROM = /^original-mail-from:[ \t]*<?([^\s<>]{1,512})>?[ \t]*\r?$/im;
/** Feedback types that are complaints; `not-spam` is the opposite (RFC 6430). */
const COMPLAINT = /^feedback-type:[ \t]*(?:abuse|fraud|virus|other)[ \t]*\r?$/im;

export interface FeedbackFacts {
  /** Envelope sender as named in the report; empty when it names none. */
  mailFrom: string;
}

/**
 * Reads the envelope sender of the message that a complaint is about.
 * @param message the whole complaint, wire or plain form
 * @returns `null` when the message is not a complaint
 */
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

/** @returns the text from the feedback part's Content-Type to the next boundary; empty when there is no such part */
function feedbackPart(text: string): string {
  const start = text.search(FEEDBACK_PART);
  if (start < 0) return "";
  const end = text.indexOf("\n--", start);
  return end < 0 ? text.slice(start) : text.slice(start, end);
}
