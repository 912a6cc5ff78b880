/** The local preview inbox (`KAUKE_DELIVERY=preview`): what `/preview/api` answers. Never part of production. */
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
  /** Whether `/preview/api/messages/{id}/html` has something to show. */
  hasHtml: z.boolean(),
  files: z.array(z.object({ index: z.number(), filename: z.string(), contentType: z.string(), sizeBytes: z.number() })),
});
export type PreviewMessage = z.infer<typeof previewMessage>;

/** `GET /preview/api/messages` */
export const previewList = z.object({ messages: z.array(previewSummary) });

/** `POST /preview/api/messages/{id}/reply`: answers as the owner of the mailbox that got the message. */
export const previewReplyBody = z.object({
  text: messageBodyField("Please write a reply"),
  /** Everybody the message names, not its author alone. */
  all: z.boolean(),
});
export type PreviewReplyBody = z.infer<typeof previewReplyBody>;
