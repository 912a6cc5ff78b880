import * as z from "zod";
import { isMailbox } from "./alias.ts";
import { attachmentList } from "./attachments.ts";
import { limits } from "./limits.ts";

export const emailJobMessages = {
  toInvalid: "Please enter a valid email address",
  recipientsMany: `A message can have ${limits.composeRecipientsMax} recipients at most`,
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
  jobIdInvalid: "The id of a message must be a UUID",
  jobIdTaken: "Another message, or this one as it was before a change, was queued under this id",
} as const;

/** `pending` waits for its time or next attempt; the states after `sending` are final. */
export const emailJobStatuses = ["pending", "sending", "sent", "failed", "cancelled"] as const;
export type EmailJobStatus = (typeof emailJobStatuses)[number];

export const recipientField = z
  .string(emailJobMessages.toInvalid)
  .max(1024, emailJobMessages.toInvalid)
  .trim()
  .refine((text) => isMailbox(text), emailJobMessages.toInvalid);

export const recipientKinds = ["to", "cc", "bcc"] as const;
export type RecipientKind = (typeof recipientKinds)[number];

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

export interface RecipientLists {
  to: string | readonly string[];
  cc?: readonly string[] | undefined;
  bcc?: readonly string[] | undefined;
}

/** Each address once, where it comes first in To, Cc, Bcc: the order in which the server lists recipients. */
export function uniqueRecipients({ to, cc = [], bcc = [] }: RecipientLists) {
  const all = { to: typeof to === "string" ? [to] : to, cc, bcc };
  const found = new Map<string, { kind: RecipientKind; address: string }>();
  for (const kind of recipientKinds)
    for (const address of all[kind]) {
      const same = address.normalize("NFC").toLowerCase();
      if (!found.has(same)) found.set(same, { kind, address });
    }
  return [...found.values()];
}

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
  const tooMany = uniqueRecipients(message)[limits.composeRecipientsMax];
  if (tooMany !== undefined) say(tooMany.kind, emailJobMessages.recipientsMany);
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
