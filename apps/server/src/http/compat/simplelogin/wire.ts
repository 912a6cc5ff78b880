/** The JSON that SimpleLogin's clients read. Kauke counts no messages, so counters are 0 and no activity is listed. */
import { isDomainOpen } from "@kauke/contract";
import type { Alias } from "../../../core/alias/alias.ts";
import type { AccountDomain } from "../../../core/domain/account-domain.ts";
import type { AccountDefaults } from "../../../core/mailbox/account-defaults.ts";
import type { ListedMailbox } from "../../../core/mailbox/mailbox.ts";
import type { User } from "../../../core/user/user.ts";

export interface MailboxLite {
  id: number;
  email: string;
}

export interface AliasView {
  alias: Alias;
  number: number;
  mailboxes: readonly MailboxLite[];
}

export function aliasToSimpleLogin({ alias, number, mailboxes }: AliasView) {
  return {
    id: number,
    email: addressOf(alias),
    creation_date: dateText(alias.createdAt),
    creation_timestamp: epochSeconds(alias.createdAt),
    enabled: alias.routing.state === "active",
    name: alias.displayName ?? null,
    note: alias.notes,
    nb_block: 0,
    nb_forward: 0,
    nb_reply: 0,
    support_pgp: false,
    disable_pgp: false,
    mailbox: mailboxes[0] ?? null,
    mailboxes,
    pinned: alias.pinned,
    latest_activity: null,
  };
}

export function createdToWire(view: AliasView) {
  return { ...aliasToSimpleLogin(view), alias: addressOf(view.alias) };
}

const addressOf = ({ name, domain }: Alias): string => `${name}@${domain}`;

export function mailboxToWire(mailbox: ListedMailbox, number: number) {
  return {
    id: number,
    email: mailbox.address,
    default: mailbox.isDefault,
    creation_timestamp: epochSeconds(mailbox.createdAt),
    nb_alias: mailbox.aliasCount,
    verified: mailbox.state === "confirmed",
  };
}

/** Always a paid plan, or clients advertise an upgrade. @param mailbox shown for an account without an e-mail */
export function userInfoToWire(user: User, { aliasesMax, mailbox }: { aliasesMax: number; mailbox: string | null }) {
  return {
    name: [user.firstName, user.lastName].filter((part) => part !== null && part !== "").join(" "),
    email: user.email ?? mailbox ?? "",
    is_premium: true,
    in_trial: false,
    trial_end_timestamp: null,
    max_alias_free_plan: aliasesMax,
    can_create_reverse_alias: false,
    profile_picture_url: null,
    connected_proton_address: null,
  };
}

/** Sender format and suffix have SimpleLogin's values closest to what Kauke does. */
export function settingToWire({ format, domain }: AccountDefaults) {
  return {
    alias_generator: format === "uuid" ? "uuid" : "word",
    notification: false,
    random_alias_default_domain: domain,
    sender_format: "AT",
    random_alias_suffix: "word",
  };
}

interface SignedSuffix {
  suffix: string;
  signed: string;
  /** On an own domain of the account. */
  isCustom: boolean;
}

interface Options {
  prefix: string;
  suffixes: readonly SignedSuffix[];
}

export function optionsToWireV4({ prefix, suffixes }: Options) {
  const pairs = suffixes.map(({ suffix, signed }) => [suffix, signed]);
  return { can_create: true, prefix_suggestion: prefix, suffixes: pairs };
}

export function optionsToWireV5({ prefix, suffixes }: Options) {
  const objects = suffixes.map(({ suffix, signed, isCustom }) => ({
    suffix,
    signed_suffix: signed,
    is_custom: isCustom,
    is_premium: false,
  }));
  return { can_create: true, prefix_suggestion: prefix, suffixes: objects };
}

/** Proven own domains only. Clients show the number, and no call of ours takes it. */
export function customDomainsToWire(domains: readonly AccountDomain[]) {
  const proven = domains.filter(isDomainOpen);
  return {
    custom_domains: proven.map(({ domain, displayName, createdAt, aliasCount, appearing }, index) => ({
      id: index + 1,
      domain_name: domain,
      name: displayName,
      is_verified: true,
      nb_alias: aliasCount,
      catch_all: appearing.appear === "all",
      random_prefix_generation: false,
      mailboxes: [],
      creation_date: dateText(createdAt),
      creation_timestamp: epochSeconds(createdAt),
    })),
  };
}

export function settingDomainsToWire({ operators, own }: { operators: readonly string[]; own: readonly string[] }) {
  const all = [...operators.map((domain) => [domain, false] as const), ...own.map((domain) => [domain, true] as const)];
  return all.map(([domain, is_custom]) => ({ domain, is_custom }));
}

function dateText(date: Date): string {
  return `${date.toISOString().slice(0, 19).replace("T", " ")}+00:00`;
}

const epochSeconds = (date: Date): number => Math.floor(date.getTime() / 1000);
