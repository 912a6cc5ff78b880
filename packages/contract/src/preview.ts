/**
 * Bodies of `/preview/api`, the API of the local preview inbox (`KAUKE_DELIVERY=preview`). Not served in production.
 */
import * as z from "zod";
import { messageBodyField } from "./email-jobs.ts";

export const previewSummary = z.object({
  id: z.string(),
  receivedAt: z.iso.datetime(),
  envelopeFrom: z.string(),
  rcptTo: z.string(),
  from: z.string(),
  subject: z.string(),
  sizeBytes: z.number(),
  attachments: z.number(),
});
export type PreviewSummary = z.infer<typeof previewSummary>;

export const previewMessage = previewSummary.extend({
  headers: z.array(z.object({ name: z.string(), value: z.string() })),
  text: z.string().nullable(),
  /** Whether the message has an HTML part, which `/preview/api/messages/{id}/html` returns. */
  hasHtml: z.boolean(),
  files: z.array(z.object({ index: z.number(), filename: z.string(), contentType: z.string(), sizeBytes: z.number() })),
});
export type PreviewMessage = z.infer<typeof previewMessage>;

/** Answer of `GET /preview/api/messages`. */
export const previewList = z.object({ messages: z.array(previewSummary) });

/**
 * Body of `POST /preview/api/messages/{id}/reply`, which answers as the owner of the mailbox that received the message.
 */
export const previewReplyBody = z.object({
  text: messageBodyField("Please write a reply"),
  /** Whether the reply goes to everybody the message names (reply all), instead of its author alone. */
  all: z.boolean(),
});
export type PreviewReplyBody = z.infer<typeof previewReplyBody>;
