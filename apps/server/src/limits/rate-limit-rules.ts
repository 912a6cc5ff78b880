/**
 * All limits of requests over HTTP and of submission in one table. `KAUKE_LIMITS` overrides them by name:
 * `alias_create=500/3600` allows 500 an hour, `login_account=5/900` allows 5 free attempts, then waits of up to 900
 * seconds. For limits of incoming mail see mail-limit-rules.ts.
 */
import type { RateLimitRule, SpacedLimitRule } from "./rate-limit.ts";

const rules = {
  // Registrations from one network, against mass registration; still enough for ten people behind one address.
  register: { action: "register", max: 10, windowSeconds: 3600 },
  // Sign-in attempts from one network at any accounts.
  login_ip: { action: "login_ip", max: 30, windowSeconds: 600 },
  // Federated sign-ins started from one network: each stores a row for ten minutes, and may cost a request to the
  // issuer.
  google_ip: { action: "google_ip", max: 60, windowSeconds: 600 },
  // Wallet challenges requested and answered, two per sign-in: each costs a row or a signature check.
  wallet_ip: { action: "wallet_ip", max: 60, windowSeconds: 600 },
  // One network guessing the password of one account: waits grow for this network only.
  login_account: { action: "login_account", free: 5, longestWaitSeconds: 900, forgetSeconds: 3600 },
  // One block of networks (IPv4 /24, IPv6 /48) guessing the password of one account. A single network cannot use up its
  // block's limit.
  login_block: { action: "login_block", max: 40, windowSeconds: 3600 },
  // Many networks (a botnet) guessing the password of one account. Above it, browsers unknown to the account need a
  // link by mail. A single block cannot use it up.
  login_common: { action: "login_common", max: 120, windowSeconds: 3600 },
  // A stolen known-browser cookie: after this many wrong passwords, the browser no longer counts as known.
  login_browser: { action: "login_browser", max: 10, windowSeconds: 30 * 86_400 },
  // Sign-ins from all known browsers of one account, each of which costs a hash of 64 MiB. Above it, they count as
  // unknown browsers.
  login_known: { action: "login_known", max: 30, windowSeconds: 600 },
  // Passwords tried with one sign-in link.
  sign_in_link: { action: "sign_in_link", max: 5, windowSeconds: 3600 },
  // Aliases created by one account, against scripts that occupy many names.
  alias_create: { action: "alias_create", max: 60, windowSeconds: 3600 },
  // Alias changes by one account, e.g. a loop that toggles an alias: each change is a commit.
  alias_change: { action: "alias_change", max: 600, windowSeconds: 3600 },
  // Imports of one account: each reads up to 32 MiB and stores up to 50,000 rows. Aliases created by an import do not
  // count as created one by one; only the account's maximum number of aliases applies to them.
  import_create: { action: "import_create", max: 20, windowSeconds: 86_400 },
  // Addresses of which dry runs of one account, and of one network, tell that somebody else has them. A dry run costs
  // nothing, so beyond this it leaves its rows to the run.
  import_taken: { action: "import_taken", max: 100, windowSeconds: 86_400 },
  // Rows that dry runs left unchecked, in imports run by one account, and from one network: each tells whether somebody
  // has an address, and an undo makes room for the next. As many as an account may have aliases.
  import_unchecked: { action: "import_unchecked", max: 10_000, windowSeconds: 86_400 },
  // Exports of one account's aliases in other services' formats: each reads and unseals every alias of the account.
  alias_export: { action: "alias_export", max: 30, windowSeconds: 3600 },
  // Names generated for one account without creating an alias: each checks a few names against the database.
  name_generate: { action: "name_generate", max: 300, windowSeconds: 3600 },
  // Additions and removals of mailboxes and changes of defaults by one account: each may read all its aliases, and
  // adding a mailbox reveals whether it has blocked this server.
  mailbox_change: { action: "mailbox_change", max: 60, windowSeconds: 3600 },
  // Aliases in bulk changes by one account: enough to change 5,000 aliases ten times. A request counts as at least 100
  // aliases, since each commits at least one transaction.
  alias_bulk: { action: "alias_bulk", max: 50_000, windowSeconds: 3600 },
  // Bulk calls of clients made for other services, by one account: each changes up to 25 aliases, as those services'
  // own servers allow.
  client_bulk: { action: "client_bulk", max: 12, windowSeconds: 60 },
  // Pages of aliases listed by one account's clients made for other services: each request unseals every alias.
  client_list: { action: "client_list", max: 50, windowSeconds: 60 },
  // Aliases paused or activated, and activities read, by one account's clients made for other services: as often as
  // SimpleLogin allows.
  client_toggle: { action: "client_toggle", max: 100, windowSeconds: 3600 },
  client_activities: { action: "client_activities", max: 30, windowSeconds: 60 },
  // Calls that add sites to one account's checklist: each unseals the whole checklist.
  checklist_add: { action: "checklist_add", max: 60, windowSeconds: 3600 },
  // Calls that change or tick off checklist rows of one account: each commits a transaction.
  checklist_change: { action: "checklist_change", max: 1200, windowSeconds: 3600 },
  // Composed messages of one account, each to one recipient, per day and per minute, against bulk mail.
  email_job_create: { action: "email_job_create", max: 200, windowSeconds: 86_400 },
  email_job_burst: { action: "email_job_burst", max: 20, windowSeconds: 60 },
  // Recipients of messages that one account sends through submission or to reply and send addresses, per day.
  submission: { action: "submission", max: 500, windowSeconds: 86_400 },
  // Recipients of absence notices and receipts of one account. Counted separately, so that strangers who trigger them do not use up
  // what the owner may send.
  automatic_answer: { action: "automatic_answer", max: 500, windowSeconds: 86_400 },
  // Changes of passwords, secrets, encryption keys and sign-in methods of one account: each is a commit.
  secret_change: { action: "secret_change", max: 120, windowSeconds: 3600 },
  // API keys created by one account: each stores a row.
  api_key_create: { action: "api_key_create", max: 20, windowSeconds: 3600 },
  // Exports of one account: each reads and unseals every row of the account.
  account_export: { action: "account_export", max: 10, windowSeconds: 3600 },
  // Uses of a master password: each takes half a second of processor time and 256 MiB in the worker that all accounts
  // share.
  master_password: { action: "master_password", max: 10, windowSeconds: 60 },
  // Texts decrypted with a private key from the request, in the worker that all accounts share.
  decrypt_manual: { action: "decrypt_manual", max: 60, windowSeconds: 60 },
  // Confirmation messages to one mailbox, counted over all accounts, so that they cannot together flood a stranger's
  // mailbox.
  confirmation_mailbox: { action: "confirmation_mailbox", max: 5, windowSeconds: 86_400 },
  // Links by mail (reset, sign-in, new e-mail) requested, or unknown links tried, from one network.
  password_reset_ip: { action: "password_reset_ip", max: 30, windowSeconds: 3600 },
  // Reset links to one mailbox, and separately sign-in links, over all clients that request them. Counted whether or
  // not an account exists. The wait is shorter than a link's lifetime, so that whoever reaches the limit leaves the
  // owner a link that works.
  password_reset_mailbox: {
    action: "password_reset_mailbox",
    free: 3,
    firstWaitSeconds: 900,
    longestWaitSeconds: 900,
    forgetSeconds: 3600,
  },
  // Reset and sign-in links to a mailbox that its account has not confirmed, which may be a stranger's. Counted by
  // mailbox, over all accounts; the client is not told.
  password_reset_unproven: {
    action: "password_reset_unproven",
    free: 3,
    firstWaitSeconds: 7200,
    longestWaitSeconds: 7200,
    forgetSeconds: 86_400,
  },
  // Confirmation links to the e-mail address of an account, which may be a stranger's. Counted by mailbox: its plain
  // address has its own count, and all addresses with tags or dots share one.
  email_confirmation_mailbox: { action: "email_confirmation_mailbox", max: 3, windowSeconds: 86_400 },
  // Links to new sign-in e-mail addresses, requested by one account.
  email_change: { action: "email_change", max: 5, windowSeconds: 86_400 },
  // Links to a new sign-in e-mail address in one mailbox, counted over all accounts.
  email_change_mailbox: { action: "email_change_mailbox", max: 3, windowSeconds: 86_400 },
  // Wrong submission passwords, by client network and by user name. A right password never counts.
  smtp_login_ip: { action: "smtp_login_ip", max: 30, windowSeconds: 600 },
  smtp_login_account: { action: "smtp_login_account", max: 20, windowSeconds: 600 },
} as const satisfies Record<string, RateLimitRule | SpacedLimitRule>;

export type LimitName = keyof typeof rules;

export const rateLimitNames = Object.keys(rules) as LimitName[];

/** Rule by name of the limit; `null` when limits are off (for load tests). */
export type RateLimitRules = Record<LimitName, RateLimitRule | SpacedLimitRule> | null;

export interface LimitChange {
  max: number;
  windowSeconds: number;
}

export const limitMessages: Record<LimitName, string> = {
  register: "Too many accounts were created from your network. Please wait before you create another one.",
  login_ip: "Too many sign-in attempts from your network. Please wait before you try again.",
  google_ip: "Too many sign-in attempts from your network. Please wait before you try again.",
  wallet_ip: "Too many sign-in attempts from your network. Please wait before you try again.",
  login_account: "Too many sign-in attempts for this account. Please wait before you try again.",
  login_block: "Too many sign-in attempts for this account. Please wait before you try again.",
  login_common: "Too many sign-in attempts for this account. Please wait before you try again.",
  login_browser: "Too many sign-in attempts for this account. Please wait before you try again.",
  login_known: "Too many sign-in attempts for this account. Please wait before you try again.",
  sign_in_link: "Too many passwords were tried with this link. Please ask for a new one.",
  alias_create: "You have created too many aliases in a short time.",
  alias_change: "You have changed aliases too often in a short time.",
  import_create: "You have imported as many files as one account may in a day.",
  import_taken: "Your dry runs have named as many taken addresses as they may in a day.",
  import_unchecked:
    "Imports have decided about as many unchecked addresses as they may in a day. Please run this one later, or split the file.",
  alias_export: "You have downloaded your aliases many times within an hour. Please wait before you do so again.",
  name_generate: "You have generated too many names in a short time.",
  mailbox_change: "You have changed your mailboxes too often in a short time.",
  alias_bulk: "You have changed very many aliases within an hour. Please wait before you change more at once.",
  client_list: "You have read your aliases too often in a short time. Please wait a minute.",
  client_toggle: "You have paused or activated aliases too often in a short time.",
  client_activities: "You have read activities too often in a short time. Please wait a minute.",
  client_bulk: "You have changed several aliases at once too often. Please wait a minute.",
  checklist_add: "You have added sites to your checklist too often in a short time.",
  checklist_change: "You have changed your checklist too often in a short time.",
  email_job_create: "You have sent as many messages as one account may in a day.",
  email_job_burst: "You are sending messages too fast.",
  submission: "You have sent as many messages as one account may in a day.",
  automatic_answer: "Your mail program has answered as many messages by itself as one account may in a day.",
  secret_change: "You have changed passwords and secrets too often in a short time.",
  api_key_create: "You have created many API keys within an hour. Please wait before you create another one.",
  account_export: "You have downloaded your data several times within an hour. Please wait before you do so again.",
  master_password: "You have used a master password too often in a short time. Please wait a minute.",
  decrypt_manual: "You have decrypted too many texts in a short time. Please wait a minute.",
  confirmation_mailbox: "This mailbox was asked too often within a day.",
  password_reset_ip: "Too many messages were requested from your network. Please wait before you try again.",
  password_reset_mailbox:
    "Several messages were requested for this e-mail within the hour. Please wait before you try again.",
  password_reset_unproven: "Several messages were requested for this e-mail within a day.",
  email_confirmation_mailbox: "This e-mail was asked three times within a day. Please wait before you ask again.",
  email_change: "You have asked for a new sign-in e-mail several times within a day. Please wait before you ask again.",
  email_change_mailbox: "This e-mail was asked three times within a day. Please wait before you ask again.",
  smtp_login_ip: "Too many wrong passwords from your network. Please wait before you try again.",
  smtp_login_account: "Too many wrong passwords for this user name. Please wait before you try again.",
};

/** The limits of requests and submission with the operator's overrides applied; names of other limits are ignored. */
export function rateLimitRules(overrides: "off" | ReadonlyMap<string, LimitChange>): RateLimitRules {
  if (overrides === "off") return null;
  const changed: NonNullable<RateLimitRules> = { ...rules };
  for (const name of rateLimitNames) {
    const override = overrides.get(name);
    if (override !== undefined) changed[name] = withChange(rules[name], override);
  }
  return changed;
}

function withChange(rule: RateLimitRule | SpacedLimitRule, change: LimitChange): RateLimitRule | SpacedLimitRule {
  return "free" in rule
    ? { ...rule, free: change.max, longestWaitSeconds: change.windowSeconds }
    : { ...rule, ...change };
}
