/**
 * Credentials that let a mail program send as an alias, one pair per alias, and the secret that signs an alias's webhook
 * calls. Shapes of specification 7; the password is in an answer only where somebody asked for it.
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
  /** The whole alias address. */
  username: z.string(),
  active: z.boolean(),
  createdAt: z.iso.datetime(),
});
export type SmtpCredentialWire = z.infer<typeof smtpCredentialWire>;

export const smtpCredentialList = z.object({
  credentials: z.array(smtpCredentialWire),
  /** Where a mail program connects, e.g. `smtp.kauke.test`. */
  host: z.string(),
  /** Ports on this machine, where a server that is only tried out listens on others than the usual ones. */
  local: z.object({ submission: z.int(), submissions: z.int() }).nullable(),
});

const withPassword = z.object({ id: z.uuid(), username: z.string(), password: z.string() });

export const createdSmtpCredential = z.object({ credential: withPassword.extend({ aliasId: z.uuid() }) });
export const regeneratedSmtpCredential = z.object({ credential: withPassword });
export const smtpPasswordAnswer = z.object({ success: z.literal(true), password: z.string() });

/** `whsec_` and 32 bytes in base64, as Standard Webhooks writes a symmetric secret. */
export const webhookSecretAnswer = z.object({ secret: z.string().regex(/^whsec_[A-Za-z0-9+/]{43}=$/) });
