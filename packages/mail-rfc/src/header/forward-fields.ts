/**
 * Header fields that make a mail program or mail host write to somebody, or that name an address for it. In a forwarded
 * message they would cause mail from the real mailbox to a correspondent, so they are removed. Collected from the IANA
 * registry of message header fields (2026), manuals of mail programs, and fields seen in practice. Add new ones here,
 * with a reason.
 *
 * From, Reply-To, To, Cc and the List- fields are not in this table, because they are rewritten.
 */

interface DroppedFields {
  /** Why the fields must be removed; "it" is the address in the field. */
  reason: string;
  /** Field names in lower case; a trailing `*` matches any ending. */
  names: readonly string[];
}

export const droppedFields: readonly DroppedFields[] = [
  {
    reason: "answers are sent to it in addition to or instead of From (RFC 5322 §3.6.2, RFC 9057)",
    names: ["sender", "author", "originator-return-address", "apparently-from"],
  },
  { reason: "reply-to-all includes it", names: ["bcc", "apparently-to", "x-apparently-to"] },
  {
    reason: "programs that answer resent mail write to some of these; the others mean nothing alone (RFC 5322 §3.6.6)",
    names: ["resent-*"],
  },
  { reason: "RFC 5504: an address that a program may restore to the field in the name", names: ["downgraded-*"] },
  {
    reason: "bounces and automatic answers go to it",
    names: ["return-path", "errors-to", "x-errors-to", "warnings-to"],
  },
  {
    reason: "a read receipt is sent to it, by some programs unasked (RFC 8098 §2.1 and its predecessors)",
    names: [
      "disposition-notification-to",
      "disposition-notification-options",
      "read-receipt-to",
      "x-confirm-reading-to",
      "x-confirm-read-to",
      "x-receipt-to",
      "x-pmrqc",
      "acknowledge-to",
      "x-acknowledge-to",
      "registered-mail-reply-requested-by",
    ],
  },
  {
    reason: "a receipt of delivery is sent to it by the mail host",
    names: [
      "return-receipt-to",
      "return-receipt-requested",
      "x-return-receipt-to",
      "delivery-receipt-to",
      "x-confirm-delivery-to",
      "generate-delivery-report",
    ],
  },
  { reason: "copied into receipts unchanged (RFC 8098 §2.3)", names: ["original-recipient"] },
  {
    reason: "mutt, Gnus and others prefer it to Reply-To, or send copies to it",
    names: ["mail-followup-to", "mail-reply-to", "mail-copies-to", "x-reply-to", "x-mail-followup-to"],
  },
  {
    reason: "the author before a mailing list changed From: some programs answer to it",
    names: [
      "x-original-from",
      "x-google-original-from",
      "x-original-sender",
      "x-original-reply-to",
      "x-orig-from",
      "original-from",
      "original-sender",
    ],
  },
  {
    reason: "Thunderbird and others post the answer to a newsgroup, for everybody to read (RFC 5536)",
    names: ["newsgroups", "followup-to", "posted-to"],
  },
  {
    reason: "mail hosts send complaints to it, including the message with the real address (RFC 9477 and practice)",
    names: [
      "cfbl-address",
      "cfbl-feedback-id",
      "abuse-reports-to",
      "x-abuse-reports-to",
      "x-report-abuse-to",
      "complaints-to",
      "x-complaints-to",
      "x-csa-complaints",
    ],
  },
  {
    reason:
      "a key for the correspondent's own address: valid for From only (Autocrypt 1.1 §2.3), which is a reply address",
    names: ["autocrypt", "autocrypt-gossip"],
  },
  {
    reason: "signs a header that is rewritten, or describes such a signature",
    names: ["dkim-signature", "dkim2-signature", "message-instance", "domainkey-signature", "x-google-dkim-signature"],
  },
];

const exact: ReadonlySet<string> = new Set(
  droppedFields.flatMap(({ names }) => names.filter((name) => !name.endsWith("*"))),
);
const prefixes = droppedFields.flatMap(({ names }) =>
  names.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1)),
);

/** Whether a field must be removed from forwarded mail. @param name field name in lower case */
export function isDroppedField(name: string): boolean {
  return exact.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}
