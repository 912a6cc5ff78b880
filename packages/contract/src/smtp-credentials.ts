/** SMTP credentials of an alias, and the secret that signs its webhook calls. */
import * as z from "zod";

export const smtpMessages = {
  aliasRequired: "Alias ID is required",
  aliasFormat: "Alias ID is not valid",
} as const;

export const createSmtpCredentialBody = z.object({
  aliasId: z
    .string(smtpMessages.aliasRequired)
    .trim()
    .toLowerCase()
    .min(1, smtpMessages.aliasRequired)
    .refine((text) => text === "" || z.guid().safeParse(text).success, smtpMessages.aliasFormat),
});

export const smtpCredentialWire = z.object({
  id: z.uuid(),
  username: z.string(),
  active: z.boolean(),
  /** Day on which a mail program last signed in with them. */
  lastUsedOn: z.iso.date().nullable(),
  createdAt: z.iso.datetime(),
});
export type SmtpCredentialWire = z.infer<typeof smtpCredentialWire>;

export const smtpCredentialList = z.object({
  credentials: z.array(smtpCredentialWire),
  host: z.string(),
  /** Ports of a server on the user's own machine, if they are unusual ones; otherwise `null`. */
  local: z.object({ submission: z.int(), submissions: z.int() }).nullable(),
  /** Whether mail programs find their settings by themselves, and profiles can be made. */
  setsUpPrograms: z.boolean(),
  /** Whether the server can test the connection: false with a forwarding provider. */
  canTest: z.boolean(),
});

const withPassword = z.object({ id: z.uuid(), username: z.string(), password: z.string() });

export const createdSmtpCredential = z.object({ credential: withPassword.extend({ aliasId: z.uuid() }) });
export const regeneratedSmtpCredential = z.object({ credential: withPassword });
export const smtpPasswordResponse = z.object({ success: z.literal(true), password: z.string() });

/** `url` works once, until `expiresAt`. */
export const createdMailProfile = z.object({ url: z.url(), expiresAt: z.iso.datetime() });

/** What the server met at its own submission port, as a mail program would; `null`: not reached. */
export const smtpConnectionTest = z.object({
  /** `unknown`: DNS did not respond. */
  name: z.enum(["found", "missing", "unknown"]),
  connection: z.enum(["open", "closed", "no_greeting"]),
  certificate: z.enum(["valid", "other_name", "expired", "self_signed", "untrusted"]).nullable(),
  signIn: z.enum(["accepted", "refused", "paused", "later"]).nullable(),
});
export type SmtpConnectionTest = z.infer<typeof smtpConnectionTest>;

/** A webhook secret is `whsec_` and 32 bytes in base64 (Standard Webhooks). */
export const webhookSecretResponse = z.object({ secret: z.string().regex(/^whsec_[A-Za-z0-9+/]{43}=$/) });
