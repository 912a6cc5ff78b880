/**
 * What each client of SimpleLogin's API decodes, written from the client's own models (their sources are named in
 * `test-vectors/clients/simplelogin/`). A field that the client needs is required. Numbers that the apps read are
 * 32-bit integers.
 */
import * as z from "zod";

const int = z.int32();
const text = z.string();
const flag = z.boolean();
/** Times in seconds since 1970. The apps show years, so a time in milliseconds would be wrong. */
const seconds = z.int().min(1_000_000_000).max(10_000_000_000);

/**
 * Response to the creation of an alias. Bitwarden reads the field `alias` as text; Keyguard reads it from an object
 * with any fields.
 */
const created = z.looseObject({ alias: z.email() });

const mailboxLite = z.looseObject({ id: int, email: text });
const contactLite = z.looseObject({ email: text, name: text.nullish(), reverse_alias: text });
const action = z.enum(["block", "bounced", "forward", "reply"]);

const extensionAlias = z.looseObject({
  id: int,
  email: z.email(),
  enabled: flag,
  note: text.nullable(),
  name: text.nullable(),
  nb_forward: int,
  nb_reply: int,
  nb_block: int,
  disable_pgp: flag,
  support_pgp: flag,
  mailboxes: z.array(mailboxLite),
});

const extensionUserInfo = z
  .looseObject({ name: text, email: text, can_create_reverse_alias: flag })
  .refine(({ name, email }) => name !== "" || email !== "", "the extension greets by name or e-mail");

const iosAlias = z.looseObject({
  id: int,
  email: text,
  name: text.nullish(),
  enabled: flag,
  creation_timestamp: seconds,
  nb_block: int,
  nb_forward: int,
  nb_reply: int,
  note: text.nullish(),
  support_pgp: flag,
  disable_pgp: flag,
  mailboxes: z.array(mailboxLite),
  latest_activity: z.looseObject({ action, contact: contactLite, timestamp: seconds }).nullish(),
  pinned: flag,
});

const androidAlias = z.looseObject({
  id: int,
  email: text,
  creation_date: z.string().regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+00:00$/),
  creation_timestamp: seconds,
  mailboxes: z.array(mailboxLite),
  enabled: flag,
  name: text.nullable(),
  note: text.nullable(),
  nb_block: int,
  nb_forward: int,
  nb_reply: int,
  latest_activity: z.looseObject({ action, contact: contactLite, timestamp: seconds }).nullable(),
  pinned: flag,
});

const activity = z.looseObject({
  action,
  timestamp: seconds,
  from: text,
  to: text,
  reverse_alias: text,
  reverse_alias_address: text,
});

const contact = z.looseObject({
  id: int,
  contact: text,
  creation_date: text,
  creation_timestamp: seconds,
  last_email_sent_timestamp: seconds.nullish(),
  reverse_alias: text,
  reverse_alias_address: text,
  existed: flag,
  block_forward: flag,
});

const mailbox = z.looseObject({
  id: int,
  email: z.email(),
  default: flag,
  creation_timestamp: seconds,
  nb_alias: int,
  verified: flag,
});

const userInfo = z.looseObject({
  name: text,
  email: text,
  profile_picture_url: text.nullish(),
  is_premium: flag,
  in_trial: flag,
  connected_proton_address: text.nullish(),
  can_create_reverse_alias: flag,
});

const suffix = z.looseObject({ suffix: text.includes("@"), signed_suffix: text.min(1) });
const alias = { created: { alias: z.email() } };

const randomMode = z.enum(["uuid", "word"]);
const senderFormat = z.enum(["A", "AT", "NAME_ONLY", "AT_ONLY", "NO_NAME"]);
const settings = {
  alias_generator: randomMode,
  notification: flag,
  random_alias_default_domain: text.min(1),
  sender_format: senderFormat,
};

export const clientSchemas: Readonly<Record<string, z.ZodType>> = {
  none: z.literal(""),
  any: z.unknown(),
  errorText: z.looseObject({ error: text.min(1) }),
  enabled: z.strictObject({ enabled: flag }),
  deleted: z.strictObject({ deleted: z.literal(true) }),
  ok: z.strictObject({ ok: z.literal(true) }),
  bitwardenAlias: created,
  keyguardAlias: created,
  extensionUserInfo,
  extensionOptions: z.looseObject({
    can_create: z.literal(true),
    prefix_suggestion: text.regex(/^[0-9a-z-_.]*$/),
    suffixes: z.array(z.tuple([text.includes("@"), text.min(1)])).min(1),
    recommendation: z.looseObject({ alias: z.email(), hostname: text }).optional(),
  }),
  extensionMailboxes: z.looseObject({ mailboxes: z.array(mailbox) }),
  extensionAliases: z.looseObject({ aliases: z.array(extensionAlias) }),
  extensionAlias: extensionAlias.extend(alias.created),
  androidUserInfo: userInfo,
  androidAliases: z.looseObject({ aliases: z.array(androidAlias) }),
  androidAlias,
  androidOptions: z.looseObject({ can_create: z.literal(true), suffixes: z.array(suffix).min(1) }),
  androidMailboxes: z.looseObject({ mailboxes: z.array(mailbox).min(1) }),
  androidActivities: z.looseObject({ activities: z.array(activity) }),
  androidContacts: z.looseObject({ contacts: z.array(contact) }),
  androidSettings: z.looseObject(settings),
  androidDomains: z.array(z.looseObject({ domain: text, is_custom: flag })).min(1),
  iosUserInfo: userInfo.extend({ max_alias_free_plan: z.int() }),
  iosStats: z.looseObject({ nb_alias: int, nb_block: int, nb_forward: int, nb_reply: int }),
  iosAliases: z.looseObject({ aliases: z.array(iosAlias) }),
  iosAlias,
  iosOptions: z.looseObject({
    can_create: flag,
    prefix_suggestion: text,
    suffixes: z.array(suffix.extend({ is_custom: flag, is_premium: flag })).min(1),
  }),
  iosMailboxes: z.looseObject({ mailboxes: z.array(mailbox).min(1) }),
  iosActivities: z.looseObject({ activities: z.array(activity) }),
  iosContacts: z.looseObject({ contacts: z.array(contact.extend({ existed: flag.optional() })) }),
  iosSettings: z.looseObject({ ...settings, random_alias_suffix: z.enum(["word", "random_string"]) }),
  iosDomains: z.array(z.looseObject({ domain: text, is_custom: flag })).min(1),
  iosCustomDomains: z.looseObject({ custom_domains: z.array(z.looseObject({ id: int, domain_name: text })) }),
};
