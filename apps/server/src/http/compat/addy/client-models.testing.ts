/**
 * What each client of addy.io decodes, as strict schemas. A field that the client's model declares without a question
 * mark must be present, not null and of the right type, because otherwise Swift's decoder rejects the whole response.
 * The schemas follow the models named in test-vectors/clients/addy/. Fields that no model names may be present.
 */
import * as z from "zod";

/** Integers that fit Kotlin's 32-bit Int; Swift's Int has 64 bits. */
const int32 = z.int32();
const int64 = z.int();
const optional = <T extends z.ZodType>(type: T) => type.nullish();
const text = z.string();
/** Times as Laravel writes them, which the apps parse as UTC. */
const time = z.string().regex(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/);

/**
 * A response with a text for the user: `message`, and for invalid fields `errors`, whose first text the extension
 * shows.
 */
const message = z.strictObject({
  message: z.string().min(1),
  errors: z.record(z.string(), z.array(z.string().min(1)).min(1)).optional(),
});

const recipient = z.object({
  id: text,
  user_id: text,
  email: text,
  can_reply_send: z.boolean(),
  should_encrypt: z.boolean(),
  inline_encryption: z.boolean(),
  protected_headers: z.boolean(),
  remove_pgp_keys: z.boolean(),
  remove_pgp_signatures: z.boolean(),
  fingerprint: optional(text),
  email_verified_at: optional(time),
  aliases_count: optional(int32),
  created_at: time,
  updated_at: time,
});

const alias = z.object({
  id: text,
  user_id: text,
  aliasable_id: optional(text),
  aliasable_type: optional(text),
  local_part: text,
  extension: optional(text),
  domain: text,
  email: text,
  active: z.boolean(),
  pinned: z.boolean(),
  description: optional(text),
  from_name: optional(text),
  attached_recipients_only: z.boolean(),
  emails_forwarded: int32,
  emails_blocked: int32,
  emails_replied: int32,
  emails_sent: int32,
  recipients: optional(z.array(recipient)),
  last_forwarded: optional(time),
  last_blocked: optional(time),
  last_replied: optional(time),
  last_sent: optional(time),
  created_at: time,
  updated_at: time,
  deleted_at: optional(time),
});

const links = z.object({ first: optional(text), last: optional(text), prev: optional(text), next: optional(text) });
const meta = z.object({
  current_page: int32,
  from: optional(int32),
  last_page: int32,
  links: z.array(z.object({ url: optional(text), label: text, active: z.boolean() })),
  path: text,
  per_page: int32,
  to: optional(int32),
  total: int32,
});

/** A page of a list. Both apps accept a page without links and meta, but then read no further pages. */
const page = <T extends z.ZodType>(item: T) => z.object({ data: z.array(item), links, meta });

const failedDelivery = z.object({
  id: text,
  user_id: text,
  recipient_id: optional(text),
  recipient_email: optional(text),
  alias_id: optional(text),
  alias_email: optional(text),
  bounce_type: text,
  remote_mta: text,
  sender: optional(text),
  destination: optional(text),
  email_type: text,
  email_type_text: text,
  status: text,
  code: text,
  is_stored: z.boolean(),
  quarantined: z.boolean(),
  resent: z.boolean(),
  attempted_at: time,
  created_at: time,
  updated_at: time,
});
const iosFailedDelivery = failedDelivery.extend({ type: text, ir_dedupe_key: optional(text) });

const blocklistEntry = z.object({
  id: text,
  user_id: text,
  value: text,
  type: text,
  blocked: optional(int32),
  last_blocked: optional(time),
  created_at: time,
  updated_at: time,
});

const domain = z.object({
  id: text,
  user_id: text,
  domain: text,
  description: optional(text),
  from_name: optional(text),
  aliases_count: optional(int32),
  default_recipient: optional(recipient),
  active: z.boolean(),
  catch_all: z.boolean(),
  auto_create_regex: optional(text),
  domain_verified_at: optional(time),
  domain_mx_validated_at: optional(time),
  domain_sending_verified_at: optional(time),
  created_at: time,
  updated_at: time,
});

const userName = z.object({
  id: text,
  user_id: text,
  username: text,
  description: optional(text),
  from_name: optional(text),
  aliases_count: optional(int32),
  default_recipient: optional(recipient),
  active: z.boolean(),
  catch_all: z.boolean(),
  auto_create_regex: optional(text),
  can_login: z.boolean(),
  created_at: time,
  updated_at: time,
});

const rule = z.object({
  id: text,
  user_id: text,
  name: text,
  order: int32,
  conditions: z.array(z.object({ type: text, match: text, values: z.array(text) })),
  actions: z.array(z.object({ type: text, value: text })),
  operator: text,
  forwards: z.boolean(),
  replies: z.boolean(),
  sends: z.boolean(),
  active: z.boolean(),
  applied: int32,
  last_applied: optional(time),
  created_at: time,
  updated_at: time,
});

const iosUser = z.object({
  id: text,
  username: text,
  disabled: optional(z.boolean()),
  from_name: optional(text),
  email_subject: optional(text),
  banner_location: text,
  bandwidth: int64,
  username_count: int32,
  username_limit: int32,
  default_username_id: text,
  default_recipient_id: text,
  default_alias_domain: text,
  default_alias_format: text,
  subscription: optional(text),
  subscription_type: optional(text),
  subscription_ends_at: optional(text),
  bandwidth_limit: int64,
  recipient_count: int32,
  recipient_limit: optional(int32),
  active_domain_count: int32,
  active_domain_limit: optional(int32),
  active_shared_domain_alias_count: int32,
  active_shared_domain_alias_limit: optional(int32),
  active_rule_count: int32,
  active_rule_limit: optional(int32),
  total_emails_forwarded: int32,
  total_emails_blocked: int32,
  total_emails_replied: int32,
  total_emails_sent: int32,
  total_aliases: int32,
  total_active_aliases: int32,
  total_inactive_aliases: int32,
  total_deleted_aliases: int32,
  created_at: time,
  updated_at: time,
});
const androidUser = iosUser.extend({ total_pinned_aliases: int32 });

const version = z.object({ major: int32, minor: int32, patch: int32, version: optional(text) });
/** Whether a server version is at least the minimum version that an app accepts. */
const atLeast = (major: number, minor: number, patch: number) =>
  version.refine((it) => it.major * 1e6 + it.minor * 1e3 + it.patch >= major * 1e6 + minor * 1e3 + patch);

const domainOptions = z.object({
  data: z.array(text).min(1),
  sharedDomains: z.array(text),
  defaultAliasDomain: text.min(1),
  defaultAliasFormat: text,
});
const chartData = z.object({
  forwardsData: z.array(int32).length(7),
  labels: z.array(text).length(7),
  outboundMessageTotals: z.array(int32).length(3),
  repliesData: z.array(int32).length(7),
  sendsData: z.array(int32).length(7),
});
const tokenDetails = z.object({ name: text, created_at: time, expires_at: optional(time) });
const list = <T extends z.ZodType>(item: T) => z.object({ data: z.array(item) });
const one = <T extends z.ZodType>(item: T) => z.object({ data: item });

/** Schemas of responses that both apps decode alike. */
const ofBothApps = {
  ApiTokenDetails: tokenDetails,
  SingleRecipient: one(recipient),
  Recipients: list(recipient),
  ChartData: chartData,
  AliasPage: page(alias),
  SingleAlias: one(alias),
  BulkAliases: list(alias),
  DomainOptions: domainOptions,
  Domains: list(domain),
  Usernames: list(userName),
  Rules: list(rule),
};

const formats = [
  "random_characters",
  "uuid",
  "random_words",
  "random_male_name",
  "random_female_name",
  "random_noun",
  "custom",
] as const;

/** Fields that the extension reads in its list and in its view of one alias. */
const extensionAlias = z.object({
  id: text,
  local_part: text.min(1),
  extension: text.nullable(),
  domain: text,
  email: text,
  active: z.boolean(),
  pinned: z.boolean(),
  description: text.nullable(),
  created_at: time,
  deleted_at: time.nullable(),
  last_forwarded: time.nullable(),
  last_blocked: time.nullable(),
  last_replied: time.nullable(),
  last_sent: time.nullable(),
  emails_forwarded: z.int(),
  emails_blocked: z.int(),
  emails_replied: z.int(),
  emails_sent: z.int(),
});

const address = z.string().regex(/^[^@\s]+@[^@\s]+$/);

/** Schemas by the name that the request fixtures use. */
export const clientModels: Readonly<Record<string, z.ZodType>> = {
  message,
  bitwardenCreated: one(z.object({ email: address })),
  bitwardenMobileCreated: one(z.object({ email: address })),
  keyguardCreated: one(z.object({ email: address })),
  extensionDomainOptions: domainOptions.extend({ defaultAliasFormat: z.enum(formats) }),
  extensionAliasPage: z.object({
    data: z.array(extensionAlias),
    links: z.object({ next: text.nullable() }),
    meta: z.object({ total: z.int() }),
  }),
  extensionRecipients: list(z.object({ id: text, email: text })),
  extensionAlias: one(extensionAlias),
  androidAccount: one(androidUser),
  androidVersion: atLeast(1, 5, 0),
  androidFailedDeliveries: page(failedDelivery),
  androidBlocklist: list(blocklistEntry),
  androidBulkAction: z.object({ ids: z.array(text), message: text }),
  iosAccount: one(iosUser),
  iosVersion: atLeast(1, 6, 2),
  iosFailedDeliveries: page(iosFailedDelivery),
  iosBlocklist: page(blocklistEntry),
  ...Object.fromEntries(
    Object.entries(ofBothApps).flatMap(([name, model]) => [
      [`android${name}`, model],
      [`ios${name}`, model],
    ]),
  ),
};
