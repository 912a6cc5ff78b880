/** Verdicts of the mail path's stages, and SMTP replies (RFC 3463), which name no destination. Stages never throw. */
import { asAppError } from "../core/app-error.ts";
import type { SendingRefusal } from "../core/domain/mail-domains.ts";

export interface SmtpReply {
  code: number;
  enhancedStatus: string | null;
  text: string;
}

export const reply = (code: number, enhancedStatus: string | null, text: string): SmtpReply => ({
  code,
  enhancedStatus,
  text,
});

const unavailable = reply(451, "4.3.0", "Temporary failure, please try again later");

const table = {
  alias_not_found: reply(550, "5.1.1", "No such address here"),
  relay_denied: reply(550, "5.7.1", "This host does not relay"),
  domain_suspended: reply(
    450,
    "4.2.1",
    "Mail for this domain is paused because its DNS records are not right, please try again later",
  ),
  domain_closed: reply(550, "5.2.1", "This domain takes no mail here any more"),
  not_a_bounce: reply(550, "5.7.1", "This address takes delivery reports only"),
  dmarc_reject: reply(550, "5.7.26", "The DMARC policy of the sender's domain rejects mail that fails authentication"),
  proof_unfinished: reply(
    451,
    "4.7.0",
    "The sender could not be authenticated because of a DNS failure, please try again later",
  ),
  reply_not_allowed: reply(
    550,
    "5.7.1",
    "Only the alias' owner may write here, from a mailbox whose domain proves it (SPF for the mailbox itself, or DKIM over To and Cc at a domain of one's own). " +
      "Otherwise use the alias' SMTP credentials or the compose page",
  ),
  mail_loop: reply(554, "5.4.6", "Mail loop: this message was here before, or has passed too many hosts"),
  message_too_large: reply(552, "5.3.4", "Message is larger than this host takes"),
  header_too_large: reply(552, "5.3.4", "The message's header, or a field of it, is larger than this host takes"),
  memory_budget: reply(452, "4.3.1", "Insufficient memory at present, please try again later"),
  spool_quota: reply(452, "4.2.2", "Too much undelivered mail, please try again later"),
  spool_failed: reply(451, "4.3.0", "The message can't be kept safely now, please try again later"),
  refused_by_all: reply(550, "5.7.1", "Mail is refused where this alias leads"),
  rate_limited: reply(451, "4.7.1", "Too much mail at present, please try again later"),
  busy: reply(451, "4.3.2", "Server is busy, please try again later"),
  unavailable,
  internal: unavailable,
  invalid: reply(501, "5.5.4", "The command's argument is not valid"),
  too_large: reply(552, "5.3.4", "Message is larger than this host takes"),
  credentials_wrong: reply(535, "5.7.8", "User name or password is wrong"),
  not_signed_in: reply(530, "5.7.0", "Sign in first"),
  forbidden: reply(553, "5.7.1", "You may not send from this address"),
} satisfies Record<string, SmtpReply>;

export type MailRefusal = keyof typeof table;

export const mailRefusals = Object.keys(table) as MailRefusal[];

const COMPOSE = "Write from the compose page, or with the alias' SMTP credentials";

/** For messages to a send address; only a proven owner gets these. */
export const sendAddressReplies = {
  off: reply(
    550,
    "5.7.1",
    "Writing by address is off for this alias. To allow it, open the alias on the website and switch on " +
      '"Write from your mail program by address" under "Sending and encryption"',
  ),
  unreadable: reply(
    550,
    "5.1.3",
    `Your message was not sent: what stands after + is not a recipient in the form person=host.example. ${COMPOSE}`,
  ),
  lost: reply(
    550,
    "5.1.3",
    "Your message was not sent: its header names a recipient after +, which your mail program or mail host left out " +
      `of the address that it wrote to. ${COMPOSE}`,
  ),
  automatic: reply(
    550,
    "5.7.1",
    "Your message was not sent: a program wrote it (an absence note, a receipt or a reply to an invitation), and such " +
      `messages are not sent by address. ${COMPOSE}`,
  ),
} as const satisfies Record<string, SmtpReply>;

/** For a From field that mail programs and DMARC could read differently. */
export const authorUnreadable = reply(
  550,
  "5.7.1",
  "From has no readable address: it must be one field with addresses of the form name@host, and no other text",
);

export const aliasPaused = reply(550, "5.7.1", "This alias is paused. Activate it in the dashboard to send from it");

/** To whoever signed in as the alias. Permanent, so that the owner's mail program shows it at once. */
export const sendingRefusals = {
  domain_suspended: reply(
    550,
    "5.7.1",
    "Nothing can be sent from this alias now: DNS records of its domain are missing or wrong. Domains in the settings shows which",
  ),
  domain_closed: reply(
    550,
    "5.7.1",
    "Nothing can be sent from this alias: its domain is closed, because its DNS records have long been missing or wrong. " +
      "Domains in the settings shows which",
  ),
  domain_lost: reply(
    550,
    "5.7.1",
    "Nothing can be sent from this alias: its domain is not yours here any more. Domains in the settings shows how to prove it",
  ),
} satisfies Record<SendingRefusal, SmtpReply>;

export function replyFor(code: MailRefusal): SmtpReply {
  return table[code];
}

/** A temporary failure, so that no mail is lost. */
export function replyForThrow(thrown: unknown): SmtpReply {
  const code = asAppError(thrown)?.code;
  return code !== undefined && isMailRefusal(code) ? table[code] : unavailable;
}

function isMailRefusal(code: string): code is MailRefusal {
  return Object.hasOwn(table, code);
}

export function formatReply({ code, enhancedStatus, text }: SmtpReply): string {
  return `${code} ${enhancedStatus === null ? "" : `${enhancedStatus} `}${text}\r\n`;
}

type Accept<T> = { verdict: "accept"; value: T };

type Notes = { notes?: readonly string[] };

type Refuse =
  | { verdict: "reject"; code: MailRefusal }
  /** Reply 4xx: the sender keeps the mail. */
  | { verdict: "defer"; code: MailRefusal };

export type Verdict<T> =
  | Accept<T>
  /** Reply 250 and drop the message, because the owner wants that. */
  | { verdict: "discard" }
  | Refuse;

export type StageVerdict<T> = (Accept<T> | Refuse | { verdict: "reply"; reply: SmtpReply }) & Notes;

export type Accepted<T> = Accept<T> & Notes;

export const accept = <T>(value: T, notes?: readonly string[]) =>
  notes === undefined ? ({ verdict: "accept", value } as const) : ({ verdict: "accept", value, notes } as const);
export const reject = (code: MailRefusal) => ({ verdict: "reject", code }) as const;
export const defer = (code: MailRefusal) => ({ verdict: "defer", code }) as const;
export const endWith = (last: SmtpReply) => ({ verdict: "reply", reply: last }) as const;
export const discard = { verdict: "discard" } as const;

export const replyOf = (verdict: Exclude<StageVerdict<unknown>, { verdict: "accept" }>): SmtpReply =>
  verdict.verdict === "reply" ? verdict.reply : replyFor(verdict.code);
