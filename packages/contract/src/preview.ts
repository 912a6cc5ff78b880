/** Bodies of `/preview/api`, the local preview inbox (`KAUKE_DELIVERY=preview`). */
import * as z from "zod";
import { isMailbox } from "./destinations.ts";
import { messageBodyField } from "./email-jobs.ts";

export const previewSummary = z.object({
  id: z.string(),
  receivedAt: z.iso.datetime(),
  envelopeFrom: z.string(),
  rcptTo: z.string(),
  from: z.string(),
  subject: z.string(),
  /** The alias it came through, or was written from; `null` for the server's own messages. */
  alias: z.string().nullable(),
  sizeBytes: z.number(),
  attachments: z.number(),
});
export type PreviewSummary = z.infer<typeof previewSummary>;

export const previewStage = z.object({
  stage: z.enum(["resolve", "receive", "screen", "rewrite", "deliver"]),
  verdict: z.string(),
  detail: z.string(),
});
export type PreviewStage = z.infer<typeof previewStage>;

export const previewMessage = previewSummary.extend({
  headers: z.array(z.object({ name: z.string(), value: z.string() })),
  text: z.string().nullable(),
  hasHtml: z.boolean(),
  files: z.array(z.object({ index: z.number(), filename: z.string(), contentType: z.string(), sizeBytes: z.number() })),
  /** What each stage of the mail path did, in order; empty once the server has forgotten it. */
  stages: z.array(previewStage),
});
export type PreviewMessage = z.infer<typeof previewMessage>;

export const previewList = z.object({ messages: z.array(previewSummary) });

export const previewReplyBody = z.object({
  text: messageBodyField("Please write a reply"),
  all: z.boolean(),
  /** In place of a reply, forwards the text to this address. */
  forwardTo: z.string().trim().refine(isMailbox, "Please enter a valid email address").optional(),
});
export type PreviewReplyBody = z.infer<typeof previewReplyBody>;
