import * as z from "zod";
import { attachmentList } from "./attachments.ts";
import { isMailbox } from "./destinations.ts";
import { emailJobMessages, emailJobStatuses, isArmored, recipientKinds, uniqueRecipients } from "./email-job-facts.ts";
import { limits } from "./limits.ts";

export const recipientField = z
  .string(emailJobMessages.toInvalid)
  .max(1024, emailJobMessages.toInvalid)
  .trim()
  .refine((text) => isMailbox(text), emailJobMessages.toInvalid);

/** Characters of a wrong address that its error repeats. */
const SHOWN_MAX = 100;

/** The error names the address that is wrong. */
const recipientList = z
  .array(z.string(emailJobMessages.toInvalid).trim(), emailJobMessages.toInvalid)
  .superRefine((addresses, context) => {
    const wrong = addresses.find((text) => text.length > 1024 || !isMailbox(text));
    if (wrong === undefined) return;
    const message = `${emailJobMessages.toInvalid}: ${wrong.slice(0, SHOWN_MAX).toWellFormed()}`;
    context.addIssue({ code: "custom", message });
  });

export const subjectField = z
  .string(emailJobMessages.subjectRequired)
  .max(limits.subjectMax, emailJobMessages.subjectLong)
  .trim()
  .min(1, emailJobMessages.subjectRequired);

const requiredText = (required: string) => z.string(required).refine((text) => text.trim() !== "", required);

export const messageBodyField = (required: string) =>
  requiredText(required).refine((text) => isShortEnough(text), emailJobMessages.bodyLong);

function isShortEnough(text: string): boolean {
  if (text.length > limits.messageBodyMaxBytes) return false;
  return new TextEncoder().encode(text).length <= limits.messageBodyMaxBytes;
}

const emailJobFields = z.object({
  /**
   * Chosen by the client, so that a request whose response was lost can be repeated: with the same id, the same message
   * is queued once, and each response is of that job.
   */
  jobId: z.uuid(emailJobMessages.jobIdInvalid).toLowerCase().optional(),
  to: z.union([recipientField, recipientList.min(1, emailJobMessages.toInvalid)], emailJobMessages.toInvalid),
  cc: recipientList.optional(),
  /** Recipients that are named in no header; they get the same message. */
  bcc: recipientList.optional(),
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
  /** Keys of several recipients, in addition to `recipientPublicKey`: each of them can decrypt the message. */
  recipientPublicKeys: z
    .array(
      z.string(emailJobMessages.publicKeyInvalid).trim().max(limits.publicKeyMax, emailJobMessages.publicKeyInvalid),
    )
    .max(limits.composeRecipientsMax, emailJobMessages.recipientsMany)
    .optional(),
  attachments: attachmentList.optional(),
  priority: z
    .int(emailJobMessages.priorityRange)
    .min(0, emailJobMessages.priorityRange)
    .max(limits.priorityMax, emailJobMessages.priorityRange)
    .optional(),
  /** When to send the message; a time in the past means now. */
  scheduledAt: z.iso.datetime({ offset: true, error: emailJobMessages.scheduleInvalid }).nullish(),
});

export const createEmailJobBody = emailJobFields.superRefine(({ useEncryption, body, ...message }, context) => {
  const say = (path: string, text: string) => context.addIssue({ code: "custom", path: [path], message: text });
  const recipients = uniqueRecipients(message);
  const tooMany = recipients[limits.composeRecipientsMax];
  if (tooMany !== undefined) say(tooMany.kind, emailJobMessages.recipientsMany);
  // An age file has a stanza for each key, which everybody who gets it can count.
  if (useEncryption === true && recipients.some(({ kind }) => kind === "bcc"))
    say("bcc", emailJobMessages.bccEncrypted);
  const hasKey = Boolean(message.recipientPublicKey) || message.recipientPublicKeys?.some((key) => key !== "") === true;
  if (useEncryption === true && !hasKey) say("recipientPublicKey", emailJobMessages.publicKeyRequired);
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
  /** Only of a repeated request anything but `pending`. */
  status: z.enum(emailJobStatuses),
});
export type CreatedEmailJob = z.infer<typeof createdEmailJob>;

export const jobRecipientWire = z.object({
  /** `null` once the message has ended for every recipient: the server then forgets whom it was for. */
  address: z.string().nullable(),
  kind: z.enum(recipientKinds),
  state: z.enum(emailJobStatuses),
  lastError: z.string().nullable(),
});
export type JobRecipientWire = z.infer<typeof jobRecipientWire>;

export const emailJobStatusWire = z.object({
  success: z.literal(true),
  /** `sent` once the message has ended for all recipients and at least one host took it; `lastError` tells of others. */
  status: z.enum(emailJobStatuses),
  currentRetries: z.number(),
  maxRetries: z.number(),
  lastError: z.string().nullable(),
  /** Message-ID with angle brackets; the same for every attempt and recipient. */
  messageId: z.string().nullable(),
  /** Each once, in the order of To, Cc, Bcc. */
  recipients: z.array(jobRecipientWire),
});
export type EmailJobStatusWire = z.infer<typeof emailJobStatusWire>;

export const waitingEmailJob = z.object({
  jobId: z.uuid(),
  aliasId: z.uuid().nullable(),
  /** The first recipient. */
  to: z.string(),
  recipients: z.array(jobRecipientWire),
  subject: z.string(),
  status: z.enum(emailJobStatuses),
  /** Earliest time of the next attempt, after the time to undo. */
  scheduledAt: z.iso.datetime(),
  currentRetries: z.number(),
  maxRetries: z.number(),
  lastError: z.string().nullable(),
});
export type WaitingEmailJob = z.infer<typeof waitingEmailJob>;

export const endedEmailJob = z.object({
  jobId: z.uuid(),
  aliasId: z.uuid().nullable(),
  status: z.enum(emailJobStatuses),
  endedAt: z.iso.datetime(),
  lastError: z.string().nullable(),
  recipients: z.array(jobRecipientWire),
});
export type EndedEmailJob = z.infer<typeof endedEmailJob>;

export const listEmailJobsQuery = z.object({ ended: z.enum(["true", "false"]).optional() });
