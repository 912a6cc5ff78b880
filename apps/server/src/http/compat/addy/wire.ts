/** The JSON that addy.io's clients read. Kauke counts no mail, so all counters are 0 and all times of use null. */
import { type AliasFormat, type DefaultFormat, isDomainOpen, type ProblemBody } from "@kauke/contract";
import { type Alias, mailboxesOf } from "../../../core/alias/alias.ts";
import type { ApiKey } from "../../../core/api-key.ts";
import { exactMailbox } from "../../../core/destination/same-mailbox.ts";
import type { AccountDomain } from "../../../core/domain/account-domain.ts";
import type { AccountDefaults, AliasMailbox } from "../../../core/mailbox/account-defaults.ts";
import type { ListedMailbox } from "../../../core/mailbox/mailbox.ts";
import type { User } from "../../../core/user/user.ts";
import type { DialectProblem } from "../client-responses.ts";

export const toTime = (date: Date): string => date.toISOString().slice(0, 19).replace("T", " ");

/** addy.io's formats "name of a person" and "noun" have no counterpart, so words are used for them. */
export const generatedFormats = {
  random_characters: "characters",
  uuid: "uuid",
  random_words: "words",
  random_male_name: "words",
  random_female_name: "words",
  random_noun: "words",
} as const satisfies Record<string, AliasFormat>;

const formatNames: Readonly<Record<DefaultFormat, keyof typeof generatedFormats>> = {
  characters: "random_characters",
  words: "random_words",
  uuid: "uuid",
};

/** @param mailboxes by canonical address, at least those of this alias */
export function aliasToAddy(alias: Alias, mailboxes: ReadonlyMap<string, AliasMailbox>) {
  const { userId, name, domain, createdAt } = alias;
  const recipients = mailboxesOf(alias).flatMap((address) => mailboxes.get(exactMailbox(address)) ?? []);
  return {
    id: alias.id,
    user_id: userId,
    aliasable_id: null,
    aliasable_type: null,
    local_part: name,
    extension: null,
    domain,
    email: `${name}@${domain}`,
    active: alias.routing.state === "active",
    pinned: alias.pinned,
    description: alias.notes,
    from_name: alias.displayName ?? null,
    attached_recipients_only: false,
    emails_forwarded: 0,
    emails_blocked: 0,
    emails_replied: 0,
    emails_sent: 0,
    recipients: recipients.map((mailbox) => recipientToWire(userId, mailbox)),
    last_forwarded: null,
    last_blocked: null,
    last_replied: null,
    last_sent: null,
    created_at: toTime(createdAt),
    updated_at: toTime(createdAt),
    deleted_at: null,
  };
}

/** Kauke has no PGP, so all PGP fields are off; an unconfirmed mailbox has no `email_verified_at`. */
export function recipientToWire(userId: string, { id, address, state, createdAt }: AliasMailbox) {
  const isConfirmed = state === "confirmed";
  const time = toTime(createdAt);
  return {
    id,
    user_id: userId,
    email: address,
    description: null,
    can_reply_send: isConfirmed,
    should_encrypt: false,
    inline_encryption: false,
    protected_headers: false,
    remove_pgp_keys: false,
    remove_pgp_signatures: false,
    fingerprint: null,
    email_verified_at: isConfirmed ? time : null,
    aliases: [],
    created_at: time,
    updated_at: time,
  };
}

export const listedRecipientToWire = (userId: string, mailbox: ListedMailbox, isCounted: boolean) => ({
  ...recipientToWire(userId, mailbox),
  ...(isCounted && { aliases_count: mailbox.aliasCount }),
});

export function domainOptionsToWire({ domain, format }: AccountDefaults, domains: readonly string[]) {
  return {
    data: domains,
    // The clients let only subscribers choose names on shared domains, so none is listed as shared.
    sharedDomains: [],
    defaultAliasDomain: domain,
    defaultAliasFormat: formatNames[format],
  };
}

/** The clients tell domains whose mail is taken by the times of their proofs. */
export function domainToWire(own: AccountDomain) {
  const { id, userId, domain, state, createdAt, provenAt, seen, aliasCount, displayName } = own;
  const proven = provenAt === null ? null : toTime(provenAt);
  const signs = seen.some((record) => record.name === "dkim" && record.state === "right");
  return {
    id,
    user_id: userId,
    domain,
    description: null,
    from_name: displayName,
    aliases_count: aliasCount,
    default_recipient: null,
    active: isDomainOpen({ state }),
    catch_all: own.appearing.appear === "all",
    auto_create_regex: null,
    domain_verified_at: proven,
    domain_mx_validated_at: proven,
    domain_sending_verified_at: signs ? proven : null,
    created_at: toTime(createdAt),
    updated_at: toTime(provenAt ?? createdAt),
  };
}

interface Account {
  user: User;
  defaults: AccountDefaults;
  aliases: readonly Alias[];
  mailboxes: readonly ListedMailbox[];
  main: ListedMailbox;
  /** Proven own domains. */
  domainCount: number;
}

/** A bandwidth limit of 0 means none; without a subscription the apps assume a self-hosted server. */
export function accountToWire({ user, defaults, aliases, mailboxes, main, domainCount }: Account) {
  const active = aliases.filter(({ routing }) => routing.state === "active").length;
  return {
    id: user.id,
    username: user.email ?? user.walletAddress ?? main.address,
    from_name: null,
    email_subject: null,
    banner_location: "off",
    spam_warning_behaviour: "off",
    bandwidth: 0,
    bandwidth_limit: 0,
    username_count: 0,
    username_limit: 0,
    default_username_id: user.id,
    default_recipient_id: main.id,
    default_alias_domain: defaults.domain,
    default_alias_format: formatNames[defaults.format],
    alias_separator: ".",
    recipient_count: mailboxes.length,
    recipient_limit: null,
    active_domain_count: domainCount,
    active_domain_limit: domainCount,
    active_shared_domain_alias_count: active,
    active_shared_domain_alias_limit: null,
    active_rule_count: 0,
    active_rule_limit: 0,
    total_emails_forwarded: 0,
    total_emails_blocked: 0,
    total_emails_replied: 0,
    total_emails_sent: 0,
    total_aliases: aliases.length,
    total_active_aliases: active,
    total_inactive_aliases: aliases.length - active,
    total_pinned_aliases: aliases.filter(({ pinned }) => pinned).length,
    total_deleted_aliases: 0,
    disabled: false,
    subscription: null,
    subscription_type: null,
    subscription_ends_at: null,
    created_at: toTime(user.createdAt),
    updated_at: toTime(user.updatedAt),
  };
}

export const keyToWire = ({ name, createdAt, expiresAt }: ApiKey) => ({
  name,
  created_at: toTime(createdAt),
  expires_at: expiresAt === null ? null : toTime(expiresAt),
});

/** Data of the apps' start page: all 0, since Kauke counts no mail. @param today last day of the chart */
export function chartToWire(today: Date) {
  const zeros = Array<number>(7).fill(0);
  const labels = zeros.map((_, index) => weekdays[(today.getUTCDay() + index + 1) % 7]);
  return { forwardsData: zeros, repliesData: zeros, sendsData: zeros, labels, outboundMessageTotals: [0, 0, 0] };
}

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

const fieldNames: Readonly<Record<string, string>> = {
  alias: "local_part",
  displayName: "from_name",
  forwardTo: "recipient_ids",
  mailboxIds: "recipient_ids",
  notes: "description",
};
/** Error codes about a new alias' name, which addy.io's clients expect as errors of a field. */
const nameErrors: ReadonlySet<string> = new Set(["alias_taken", "alias_released", "alias_reserved"]);

/** Error body `{ message }`; invalid input gets 422 with `errors` by field, whose first one the extension shows. */
export function problemToWire({ code, message, errors }: ProblemBody, status: number): DialectProblem {
  if (nameErrors.has(code)) return { status: 422, body: { message, errors: { local_part: [message] } } };
  if (code !== "invalid") return { status, body: { message } };
  if (errors === undefined) return { status: 422, body: { message } };
  const renamed = Object.entries(errors).map(([field, texts]) => [fieldNames[field] ?? field, texts]);
  return { status: 422, body: { message, errors: Object.fromEntries(renamed) } };
}
