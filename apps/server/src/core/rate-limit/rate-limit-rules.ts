/**
 * Every limit of what people do over HTTP, as one table. `KAUKE_LIMITS` overrides by name: `alias_create=500/3600` is 500 in
 * an hour, `login_account=5/900` is 5 free tries and a wait of 900 s at most. Limits of the mail path: mail-limit-rules.ts.
 */
import type { RateLimitRule, SpacedLimitRule } from "./rate-limit.ts";

const rules = {
  // A machine that makes accounts by the hundred; ten people behind one address are still fine.
  register: { action: "register", max: 10, windowSeconds: 3600 },
  // One address that tries many accounts.
  login_ip: { action: "login_ip", max: 30, windowSeconds: 600 },
  // A script that begins federated sign-ins: each is a row for ten minutes, and perhaps a question to the issuer.
  google_ip: { action: "google_ip", max: 60, windowSeconds: 600 },
  // Challenges asked for and answered, two to a sign-in: each is a row or a signature to check.
  wallet_ip: { action: "wallet_ip", max: 60, windowSeconds: 600 },
  // One network that guesses at one account: waits grow for this network, and for nobody else.
  login_account: { action: "login_account", free: 5, longestWaitSeconds: 900, forgetSeconds: 3600 },
  // One block of networks (IPv4 /24, IPv6 /48) that guesses at one account. A single network can't use up its block's share.
  login_block: { action: "login_block", max: 40, windowSeconds: 3600 },
  // A botnet that guesses at one account. Beyond, browsers that never signed in are offered a link by mail. A single block
  // can't use it up.
  login_common: { action: "login_common", max: 120, windowSeconds: 3600 },
  // A stolen browser: so many wrong passwords end what it is known for.
  login_browser: { action: "login_browser", max: 10, windowSeconds: 30 * 86_400 },
  // An account's own browsers in a loop: each sign-in is a hash of 64 MiB. By account; then they count as unknown browsers do.
  login_known: { action: "login_known", max: 30, windowSeconds: 600 },
  // Passwords tried with one sign-in link.
  sign_in_link: { action: "sign_in_link", max: 5, windowSeconds: 3600 },
  // A script that eats the name space.
  alias_create: { action: "alias_create", max: 60, windowSeconds: 3600 },
  // A loop that toggles an alias: each change is a commit.
  alias_change: { action: "alias_change", max: 600, windowSeconds: 3600 },
  // Bulk mail from one account: the day's measure, and how fast it may go.
  email_job_create: { action: "email_job_create", max: 200, windowSeconds: 86_400 },
  email_job_burst: { action: "email_job_burst", max: 20, windowSeconds: 60 },
  // Mail sent through submission and answers to reply addresses: the day's measure of one account, in messages.
  submission: { action: "submission", max: 500, windowSeconds: 86_400 },
  // Absence notes and receipts of one account. Apart, so that strangers who set them off don't use up what the owner may write.
  automatic_answer: { action: "automatic_answer", max: 500, windowSeconds: 86_400 },
  // A loop that makes passwords or signing secrets: each is a commit.
  secret_change: { action: "secret_change", max: 120, windowSeconds: 3600 },
  // A loop that takes the whole account away: each reads and opens every row of it.
  account_export: { action: "account_export", max: 10, windowSeconds: 3600 },
  // Master passwords tried: each is half a second of processor time and 256 MiB in the one worker that all share.
  master_password: { action: "master_password", max: 10, windowSeconds: 60 },
  // Texts decrypted with a key that is not kept: the same worker.
  decrypt_manual: { action: "decrypt_manual", max: 60, windowSeconds: 60 },
  // Many accounts that have one stranger's mailbox asked whether it is theirs. By mailbox, over all accounts.
  confirmation_mailbox: { action: "confirmation_mailbox", max: 5, windowSeconds: 86_400 },
  // One address that asks for reset messages or sign-in links of many accounts, or tries links nobody was sent.
  password_reset_ip: { action: "password_reset_ip", max: 30, windowSeconds: 3600 },
  // Many addresses that fill one mailbox with reset messages and sign-in links. Counted whether there is an account or not.
  // Shorter than the life of a link, so that whoever uses it up leaves the owner a link that works.
  password_reset_mailbox: {
    ...{ action: "password_reset_mailbox", free: 3, firstWaitSeconds: 900, longestWaitSeconds: 900 },
    forgetSeconds: 3600,
  },
  // An account made with a stranger's e-mail that has such messages sent there. By mailbox, over all accounts; nobody is told.
  password_reset_unproven: {
    ...{ action: "password_reset_unproven", free: 3, firstWaitSeconds: 7200, longestWaitSeconds: 7200 },
    forgetSeconds: 86_400,
  },
  // An account registered with a stranger's e-mail address sends it confirmation links. Counted by mailbox: its plain address has a
  // count of its own, and all addresses with tags or dots share one.
  email_confirmation_mailbox: { action: "email_confirmation_mailbox", max: 3, windowSeconds: 86_400 },
  // One account asks for confirmation links to many different new sign-in e-mail addresses. Counted by account.
  email_change: { action: "email_change", max: 5, windowSeconds: 86_400 },
  // Many accounts ask for such links to the same mailbox. Counted by mailbox, over all accounts.
  email_change_mailbox: { action: "email_change_mailbox", max: 3, windowSeconds: 86_400 },
  // Wrong submission passwords, by where they come from and by the name they try. A right one never counts.
  smtp_login_ip: { action: "smtp_login_ip", max: 30, windowSeconds: 600 },
  smtp_login_account: { action: "smtp_login_account", max: 20, windowSeconds: 600 },
} as const satisfies Record<string, RateLimitRule | SpacedLimitRule>;

export type LimitName = keyof typeof rules;

export const rateLimitNames = Object.keys(rules) as LimitName[];

/** `null`: no limits at all (load tests). */
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
  email_job_create: "You have sent as many messages as one account may in a day.",
  email_job_burst: "You are sending messages too fast.",
  submission: "You have sent as many messages as one account may in a day.",
  automatic_answer: "Your mail program has answered as many messages by itself as one account may in a day.",
  secret_change: "You have changed passwords and secrets too often in a short time.",
  account_export: "You have downloaded your data several times within an hour. Please wait before you do so again.",
  master_password: "You have used a master password too often in a short time. Please wait a minute.",
  decrypt_manual: "You have decrypted too many texts in a short time. Please wait a minute.",
  confirmation_mailbox: "This mailbox was asked too often within a day.",
  password_reset_ip: "Too many messages were asked for from your network. Please wait before you try again.",
  password_reset_mailbox:
    "Several messages were asked for this e-mail within the hour. Please wait before you try again.",
  password_reset_unproven: "Several messages were asked for this e-mail within a day.",
  email_confirmation_mailbox: "This e-mail was asked three times within a day. Please wait before you ask again.",
  email_change: "You have asked for a new sign-in e-mail several times within a day. Please wait before you ask again.",
  email_change_mailbox: "This e-mail was asked three times within a day. Please wait before you ask again.",
  smtp_login_ip: "Too many wrong passwords from your network. Please wait before you try again.",
  smtp_login_account: "Too many wrong passwords for this user name. Please wait before you try again.",
};

/** The table with the operator's overrides; names of other parts' limits are left to them. */
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
