/** Limits over time, by the names of `KAUKE_LIMITS`; what each counts, and by which party, is in table.ts. */

import type { BucketRule, RateLimitRule, SpacedLimitRule } from "./rate.ts";
import { partOfRule } from "./table.ts";

const MINUTE = 60;
const TEN_MINUTES = 600;
const HOUR = 3600;
const DAY = 86_400;

const network = "Too many sign-in attempts from your network. Please wait before you try again.";
const account = "Too many sign-in attempts for this account. Please wait before you try again.";
const asked = "This e-mail was asked three times within a day. Please wait before you ask again.";
const sent = "You have sent as many messages as one account may in a day.";

/** @param message shown to whoever is over the limit */
const most = (max: number, windowSeconds: number, message: string) => ({ max, windowSeconds, message });

const counted = {
  // Ten people behind one address can still register.
  register: most(
    10,
    HOUR,
    "Too many accounts were created from your network. Please wait before you create another one.",
  ),
  login_ip: most(30, TEN_MINUTES, network),
  // Each stores a row for ten minutes, and may cost a request to the issuer.
  google_ip: most(60, TEN_MINUTES, network),
  wallet_ip: most(60, TEN_MINUTES, network),
  // Higher than a network's limit, so that a single network can't use it up.
  login_block: most(40, HOUR, account),
  // A single block can't use it up. Above it, browsers unknown to the account need a mailed link.
  login_common: most(120, HOUR, account),
  // After so many wrong passwords, a browser no longer counts as known: its cookie may be stolen.
  login_browser: most(10, 30 * DAY, account),
  // Each costs a hash of 64 MiB. Above it, known browsers count as unknown ones.
  login_known: most(30, TEN_MINUTES, account),
  sign_in_link: most(5, HOUR, "Too many passwords were tried with this link. Please ask for a new one."),
  alias_create: most(60, HOUR, "You have created too many aliases in a short time."),
  alias_change: most(600, HOUR, "You have changed aliases too often in a short time."),
  import_create: most(20, DAY, "You have imported as many files as one account may in a day."),
  // Above it, dry runs leave their rows to the run.
  import_taken: most(100, DAY, "Your dry runs have named as many taken addresses as they may in a day."),
  // As many as an account may have aliases. Each row tells whether somebody has the address, and an undo makes room for more.
  import_unchecked: most(
    10_000,
    DAY,
    "Imports have decided about as many unchecked addresses as they may in a day. Please run this one later, or split the file.",
  ),
  alias_export: most(
    30,
    HOUR,
    "You have downloaded your aliases many times within an hour. Please wait before you do so again.",
  ),
  name_generate: most(300, HOUR, "You have generated too many names in a short time."),
  // Adding a mailbox reveals whether it has blocked this server, and a change may read all aliases of the account.
  mailbox_change: most(60, HOUR, "You have changed your mailboxes too often in a short time."),
  // 5,000 aliases ten times. A request counts as at least 100 aliases, since it commits at least once.
  alias_bulk: most(
    50_000,
    HOUR,
    "You have changed very many aliases within an hour. Please wait before you change more at once.",
  ),
  // As many as may be marked, so that each deletion can be undone.
  alias_keep: most(50_000, HOUR, "You have undone the deletion of very many aliases within an hour. Please wait."),
  // For clients of other services, whose bulk calls change up to 25 aliases.
  client_bulk: most(12, MINUTE, "You have changed several aliases at once too often. Please wait a minute."),
  client_list: most(50, MINUTE, "You have read your aliases too often in a short time. Please wait a minute."),
  // SimpleLogin's limit.
  client_toggle: most(100, HOUR, "You have paused or activated aliases too often in a short time."),
  client_activities: most(30, MINUTE, "You have read activities too often in a short time. Please wait a minute."),
  // Each makes two keys, which take up to two seconds of processor time.
  domain_add: most(20, DAY, "You have added several domains within a day. Please wait before you add another one."),
  domain_check: most(
    120,
    HOUR,
    "You have checked domains very often within an hour. Please wait before you check again.",
  ),
  domain_change: most(
    300,
    HOUR,
    "You have changed your domains very often within an hour. Please wait before you change more.",
  ),
  policy_order_account: most(10, DAY, "The certificates of an account's domains were ordered often today."),
  // Let's Encrypt allows 300 orders of one account in three hours.
  policy_order_all: most(250, 3 * HOUR, "Certificates of own domains were ordered often within three hours."),
  // Counted over all processes, by domain and by account.
  alias_appear_domain: most(20, HOUR, "Many aliases have appeared on this domain within an hour."),
  alias_appear_account: most(100, DAY, "Many aliases have appeared in this account within a day."),
  alias_appear_notice: most(1, DAY, "The account was told today."),
  checklist_add: most(60, HOUR, "You have added sites to your checklist too often in a short time."),
  checklist_change: most(1200, HOUR, "You have changed your checklist too often in a short time."),
  email_job_create: most(200, DAY, sent),
  contact_change: most(
    300,
    HOUR,
    "You have changed very many contacts within an hour. Please wait before you change more.",
  ),
  email_attachment: most(
    300,
    HOUR,
    "You have attached very many files within an hour. Please wait before you attach more.",
  ),
  email_job_burst: most(20, MINUTE, "You are sending messages too fast."),
  submission: most(500, DAY, sent),
  // Apart from `submission`, so that strangers who trigger absence notes do not use up the owner's limit.
  automatic_answer: most(
    500,
    DAY,
    "Your mail program has answered as many messages by itself as one account may in a day.",
  ),
  test_message: most(10, HOUR, "You have sent too many test messages in a short time."),
  provider_try: most(60, HOUR, "You have tried to set up aliases too often in a short time."),
  secret_change: most(120, HOUR, "You have changed passwords and secrets too often in a short time."),
  // Each connects and signs in at our own port.
  smtp_test: most(20, HOUR, "You have tested connections too often in a short time."),
  api_key_create: most(
    20,
    HOUR,
    "You have created many API keys within an hour. Please wait before you create another one.",
  ),
  account_export: most(
    10,
    HOUR,
    "You have downloaded your data several times within an hour. Please wait before you do so again.",
  ),
  // Each takes half a second of processor time and 256 MiB in the worker that all accounts share.
  master_password: most(10, MINUTE, "You have used a master password too often in a short time. Please wait a minute."),
  decrypt_manual: most(60, MINUTE, "You have decrypted too many texts in a short time. Please wait a minute."),
  confirmation_mailbox: most(5, DAY, "This mailbox was asked too often within a day."),
  password_reset_ip: most(
    30,
    HOUR,
    "Too many messages were requested from your network. Please wait before you try again.",
  ),
  email_confirmation_mailbox: most(3, DAY, asked),
  email_change: most(
    5,
    DAY,
    "You have asked for a new sign-in e-mail several times within a day. Please wait before you ask again.",
  ),
  email_change_mailbox: most(3, DAY, asked),
  // A right password never counts.
  smtp_login_ip: most(30, TEN_MINUTES, "Too many wrong passwords from your network. Please wait before you try again."),
  smtp_login_account: most(
    20,
    TEN_MINUTES,
    "Too many wrong passwords for this user name. Please wait before you try again.",
  ),
};

const spaced = {
  // Waits grow only for the network that guesses.
  login_account: { free: 5, firstWaitSeconds: 1, longestWaitSeconds: 900, forgetSeconds: HOUR, message: account },
  // Counted with or without an account. The wait is shorter than a link lives, so the owner always has a working link.
  password_reset_mailbox: {
    free: 3,
    firstWaitSeconds: 900,
    longestWaitSeconds: 900,
    forgetSeconds: HOUR,
    message: "Several messages were requested for this e-mail within the hour. Please wait before you try again.",
  },
  // The mailbox may be a stranger's.
  password_reset_unproven: {
    free: 3,
    firstWaitSeconds: 7200,
    longestWaitSeconds: 7200,
    forgetSeconds: DAY,
    message: "Several messages were requested for this e-mail within a day.",
  },
};

/** Token buckets of incoming mail: `max` at once, then `max` per window. Above it, a client gets 451 and retries. */
const mail = {
  // A large provider sends from a few blocks, often one message per connection: this is a sustained ten a second.
  mail_connections_ip: { max: 6000, windowSeconds: TEN_MINUTES },
  mail_messages_ip: { max: 6000, windowSeconds: TEN_MINUTES },
  mail_recipients_ip: { max: 12_000, windowSeconds: TEN_MINUTES },
  // Lists that still write to deleted aliases stay below 3,000 an hour.
  mail_unknown_ip: { max: 500, windowSeconds: TEN_MINUTES },
  // The busiest mailing lists send some hundred messages an hour.
  mail_alias: { max: 600, windowSeconds: HOUR },
  mail_account: { max: 3000, windowSeconds: HOUR },
  // Large providers accept about one message a second for a mailbox.
  mail_destination: { max: 3000, windowSeconds: HOUR },
};

export const namedLimits = { ...counted, ...spaced, ...mail };

export const limitNames: readonly string[] = Object.keys(namedLimits);

export type LimitName = keyof typeof counted | keyof typeof spaced;
export type MailLimitName = keyof typeof mail;
export const mailLimitNames = Object.keys(mail) as MailLimitName[];

type Overrides = "off" | ReadonlyMap<string, BucketRule>;

/** `null`: limits are off (load tests). */
export type RateLimitRules = Record<LimitName, (RateLimitRule | SpacedLimitRule) & { message: string }> | null;
export type MailLimitRules = Record<MailLimitName, BucketRule>;

export function rateLimitRules(overrides: Overrides): RateLimitRules {
  if (overrides === "off") return null;
  const rules = Object.entries({ ...counted, ...spaced }).map(([action, rule]) => {
    const change = overrides.get(action);
    const isSpaced = "free" in rule;
    const changed = isSpaced && change ? { free: change.max, longestWaitSeconds: change.windowSeconds } : change;
    return [action, { action, ...rule, ...changed }];
  });
  return Object.fromEntries(rules) as RateLimitRules;
}

/** @param processes number among which the limits of incoming mail are divided */
export function mailLimitRules(overrides: Overrides, processes = 1): MailLimitRules | null {
  if (overrides === "off") return null;
  const rules = mailLimitNames.map((name) => [name, partOfRule(overrides.get(name) ?? mail[name], processes)]);
  return Object.fromEntries(rules) as MailLimitRules;
}
