import * as z from "zod";
import { isMailbox } from "./alias.ts";
import { limits } from "./limits.ts";

export const emailJobMessages = {
  toInvalid: "Please enter a valid email address",
  subjectRequired: "Subject is required",
  subjectLong: `Subject must be ${limits.subjectMax} characters or less`,
  bodyRequired: "Email body is required",
  bodyLong: "The message is too long: 1 MB of text is the most",
  subjectLeaks:
    "Your subject holds the address this alias forwards to. Take it out, or switch the leak guard off in Settings",
  bodyLeaks:
    "Your message holds the address this alias forwards to. Take it out, or switch the leak guard off in Settings",
  bodyLeaksEncoded:
    "Encoded text in your message, such as a key or a link, holds the address this alias forwards to. " +
    "Take it out, or switch the leak guard off in Settings",
  bodyUnsearched:
    "Your message holds packed data that can't be searched for the address this alias forwards to. " +
    "Take it out, or switch the leak guard off in Settings",
  senderRequired: "Please select a sender alias",
  senderUnfit: "This alias can't send: it must be active and have SMTP credentials",
  senderHeld: "This alias can't send: it is switched off at the provider.",
  publicKeyRequired: "Please provide the recipient's public key for encryption.",
  publicKeyInvalid: "This is not an AGE public key",
  useEncryptionInvalid: "useEncryption must be true or false",
  priorityRange: "Priority must be a whole number from 0 to 10",
  scheduleInvalid: "Please give the time as an ISO 8601 date and time",
  scheduleFar: `A message can wait ${limits.scheduleMaxDays} days at most`,
  tooLate: "The email may have already been sent.",
} as const;

/** `pending` waits for its time or next attempt; the states after `sending` are final. */
export const emailJobStatuses = ["pending", "sending", "sent", "failed", "cancelled"] as const;
export type EmailJobStatus = (typeof emailJobStatuses)[number];

export const recipientField = z
  .string(emailJobMessages.toInvalid)
  .max(1024, emailJobMessages.toInvalid)
  .trim()
  .refine((text) => isMailbox(text), emailJobMessages.toInvalid);

export const subjectField = z
  .string(emailJobMessages.subjectRequired)
  .max(limits.subjectMax, emailJobMessages.subjectLong)
  .trim()
  .min(1, emailJobMessages.subjectRequired);

const requiredText = (required: string) => z.string(required).refine((text) => text.trim() !== "", required);

export const messageBodyField = (required: string) =>
  requiredText(required).refine((text) => isShortEnough(text), emailJobMessages.bodyLong);

/** Whether a text looks like an armored age file; only the age package can tell whether it is valid. */
export const isArmored = (text: string): boolean => text.trimStart().startsWith("-----BEGIN AGE ENCRYPTED FILE-----");

function isShortEnough(text: string): boolean {
  if (text.length > limits.messageBodyMaxBytes) return false;
  return new TextEncoder().encode(text).length <= limits.messageBodyMaxBytes;
}

const emailJobFields = z.object({
  to: recipientField,
  subject: subjectField,
  body: requiredText(emailJobMessages.bodyRequired),
  fromAliasId: z.uuid(emailJobMessages.senderRequired).toLowerCase(),
  /** Whether to encrypt the body; an armored age file is queued as it is. */
  useEncryption: z.boolean(emailJobMessages.useEncryptionInvalid).optional(),
  recipientPublicKey: z
    .string(emailJobMessages.publicKeyInvalid)
    .trim()
    .max(limits.publicKeyMax, emailJobMessages.publicKeyInvalid)
    .nullish(),
  priority: z
    .int(emailJobMessages.priorityRange)
    .min(0, emailJobMessages.priorityRange)
    .max(limits.priorityMax, emailJobMessages.priorityRange)
    .optional(),
  /** When to send the message; a time in the past means now. */
  scheduledAt: z.iso.datetime({ offset: true, error: emailJobMessages.scheduleInvalid }).nullish(),
});

export const createEmailJobBody = emailJobFields.superRefine(({ useEncryption, recipientPublicKey, body }, context) => {
  const say = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
  if (useEncryption === true && !recipientPublicKey) say("recipientPublicKey", emailJobMessages.publicKeyRequired);
  // Limit of the body: an encrypted one may be longer than the text that was typed.
  const isEncrypted = useEncryption === true && isArmored(body);
  if (isEncrypted ? body.length > limits.encryptedTextMax : !isShortEnough(body))
    say("body", emailJobMessages.bodyLong);
});
export type CreateEmailJobBody = z.input<typeof createEmailJobBody>;

export const createdEmailJob = z.object({
  jobId: z.uuid(),
  canUndo: z.boolean(),
  undoSeconds: z.number(),
});
export type CreatedEmailJob = z.infer<typeof createdEmailJob>;

export const emailJobStatusWire = z.object({
  success: z.literal(true),
  status: z.enum(emailJobStatuses),
  currentRetries: z.number(),
  maxRetries: z.number(),
  lastError: z.string().nullable(),
  /** Message-ID with angle brackets; the same for every attempt. */
  messageId: z.string().nullable(),
});
export type EmailJobStatusWire = z.infer<typeof emailJobStatusWire>;

export const waitingEmailJob = z.object({
  jobId: z.uuid(),
  aliasId: z.uuid().nullable(),
  to: z.string(),
  subject: z.string(),
  status: z.enum(emailJobStatuses),
  /** Earliest time of the next attempt, after the time to undo. */
  scheduledAt: z.iso.datetime(),
  currentRetries: z.number(),
  maxRetries: z.number(),
  lastError: z.string().nullable(),
});
export type WaitingEmailJob = z.infer<typeof waitingEmailJob>;
