/**
 * SMTP credentials, with which a mail program sends as an alias (one pair per alias), and the secret that signs an
 * alias's webhook calls. Schemas of the specification's section 7; a password is only in the answer to a request for
 * it.
 */
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
  /** User name, which is the full address of the alias. */
  username: z.string(),
  active: z.boolean(),
  createdAt: z.iso.datetime(),
});
export type SmtpCredentialWire = z.infer<typeof smtpCredentialWire>;

export const smtpCredentialList = z.object({
  credentials: z.array(smtpCredentialWire),
  /** Host name of the submission server, e.g. `smtp.kauke.test`. */
  host: z.string(),
  /** Ports on this machine if the server is a local trial that listens on unusual ones; otherwise `null`. */
  local: z.object({ submission: z.int(), submissions: z.int() }).nullable(),
});

const withPassword = z.object({ id: z.uuid(), username: z.string(), password: z.string() });

export const createdSmtpCredential = z.object({ credential: withPassword.extend({ aliasId: z.uuid() }) });
export const regeneratedSmtpCredential = z.object({ credential: withPassword });
export const smtpPasswordAnswer = z.object({ success: z.literal(true), password: z.string() });

/** Webhook secret: `whsec_` followed by 32 bytes in base64, the format of a symmetric secret in Standard Webhooks. */
export const webhookSecretAnswer = z.object({ secret: z.string().regex(/^whsec_[A-Za-z0-9+/]{43}=$/) });
