/**
 * Composed mail over the wire (specification sections 5, 7, 9): what a message to queue holds, and how its record reads. The
 * form, the route and the use case share these rules; request fields carry section 7's names.
 */
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
  senderRequired: "Please select a sender alias",
  senderUnfit: "This alias can't send: it must be active and have SMTP credentials",
  encryptionUnavailable: "Encryption is not available yet",
  priorityRange: "Priority must be a whole number from 0 to 10",
  scheduleInvalid: "Please give the time as an ISO 8601 date and time",
  scheduleFar: `A message can wait ${limits.scheduleMaxDays} days at most`,
  tooLate: "The email may have already been sent.",
} as const;

/** `pending` waits for its time or its next try; `sending` is in the hands of a sender now; the rest are ends. */
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

/** A message of white space alone is none. @param required what an empty one is told */
export const messageBodyField = (required: string) =>
  z
    .string(required)
    .refine((text) => text.trim() !== "", required)
    .refine((text) => isShortEnough(text), emailJobMessages.bodyLong);

/** Counted in octets of UTF-8, as it is sent. */
function isShortEnough(text: string): boolean {
  if (text.length > limits.messageBodyMaxBytes) return false;
  return new TextEncoder().encode(text).length <= limits.messageBodyMaxBytes;
}

export const createEmailJobBody = z.object({
  to: recipientField,
  subject: subjectField,
  body: messageBodyField(emailJobMessages.bodyRequired),
  fromAliasId: z.uuid(emailJobMessages.senderRequired).toLowerCase(),
  useEncryption: z.literal(false, emailJobMessages.encryptionUnavailable).optional(),
  recipientPublicKey: z.string().max(limits.smallBodyMaxBytes).nullish(),
  priority: z
    .int(emailJobMessages.priorityRange)
    .min(0, emailJobMessages.priorityRange)
    .max(limits.priorityMax, emailJobMessages.priorityRange)
    .optional(),
  /** A time that is past means now. */
  scheduledAt: z.iso.datetime({ offset: true, error: emailJobMessages.scheduleInvalid }).nullish(),
});
export type CreateEmailJobBody = z.input<typeof createEmailJobBody>;

export const createdEmailJob = z.object({
  jobId: z.uuid(),
  canUndo: z.boolean(),
  /** How long it can be undone, from now. */
  undoSeconds: z.number(),
});
export type CreatedEmailJob = z.infer<typeof createdEmailJob>;

export const emailJobStatusWire = z.object({
  success: z.literal(true),
  status: z.enum(emailJobStatuses),
  currentRetries: z.number(),
  maxRetries: z.number(),
  lastError: z.string().nullable(),
  /** The same from the first try to the last, with its brackets. */
  messageId: z.string().nullable(),
});
export type EmailJobStatusWire = z.infer<typeof emailJobStatusWire>;
