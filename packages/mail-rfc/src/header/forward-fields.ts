/**
 * Header fields by which a program would write to somebody from the real mailbox, or that name an address for it:
 * removed from forwarded mail. From IANA's registry (2026), manuals and practice. Add new ones here, with a reason.
 * From, Reply-To, To, Cc and List- fields are rewritten instead.
 */
import { type Mailbox, parseAddressList } from "../address/address-list.ts";
import { canStandInField, type FieldText, headerField, NO_FIELD } from "./header-field.ts";

interface DroppedFields {
  /** Why the fields are removed; "it" is the address in the field. */
  reason: string;
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

export function isDroppedField(name: string): boolean {
  return exact.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}

const LINKS_MAX = 20;
const KEPT_QUERY = new Set(["subject", "body"]);

/** Rewrites a List- field; empty without links, `null` when it may stay. `replyFor`: `null` at the maximum. */
export function rewriteListField(
  title: string,
  value: string,
  replyFor: (mailbox: Mailbox) => string | null,
): FieldText | null {
  if (!isMailing(value)) return null;
  const links: string[] = [];
  for (const [, inside = ""] of value.matchAll(/<([^<>]*)>/g)) {
    const link = rewriteLink(inside.replace(/\s+/g, ""), replyFor);
    if (link !== null && canStandInField(link) && links.length < LINKS_MAX) links.push(`<${link}>`);
  }
  return links.length === 0 ? NO_FIELD : headerField(title, withCommas(links));
}

/** Whether a web link of the field stays; `rewriteListField` leaves out links that fit no line. */
export function keepsWebLink(value: string): boolean {
  const links = [...value.matchAll(/<([^<>]*)>/g)].map(([, inside = ""]) => inside.replace(/\s+/g, ""));
  const web = links.filter((link) => /^https:\/\//i.test(link));
  return isMailing(value) ? web.some(canStandInField) : web.length > 0;
}

/** Whether a text has "mailto" in any spelling, or an "@" outside a web link. */
function isMailing(value: string): boolean {
  return /mailto/i.test(value.replace(/\s+/g, "")) || /@/.test(value.replace(/<\s*https?:[^<>]*>/gi, ""));
}

function rewriteLink(link: string, replyFor: (mailbox: Mailbox) => string | null): string | null {
  if (/^https?:\/\//i.test(link)) return link;
  const [, to, query = ""] = /^mailto:([^?]*)(?:\?(.*))?$/i.exec(link) ?? [];
  const target = to === undefined ? null : parseAddressList(percentDecoded(to))[0];
  const reply = target ? replyFor(target) : null;
  if (reply === null) return null;
  const kept = query.split("&").filter((pair) => KEPT_QUERY.has(pair.split("=", 1)[0]?.toLowerCase() ?? ""));
  return `mailto:${reply}${kept.length === 0 ? "" : `?${kept.join("&")}`}`;
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

function withCommas(links: readonly string[]): string[] {
  return links.map((link, index) => (index < links.length - 1 ? `${link},` : link));
}
