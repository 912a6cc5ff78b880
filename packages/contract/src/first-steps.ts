/** The first steps of an account, and the message by which its owner sees one of them happen. */
import * as z from "zod";

/** What the dashboard does not know anyway: its aliases and mailboxes tell of the other steps. */
export const firstSteps = z.object({
  isHidden: z.boolean(),
  /** Whether an alias of the account has forwarded a message. */
  hasMail: z.boolean(),
  /** Whether mail ends in the preview inbox of this server. */
  isPreview: z.boolean(),
});
export type FirstSteps = z.infer<typeof firstSteps>;

/** In their order; each is reached by the ordinary mail path. */
export const testStageNames = ["sent", "received", "delivered"] as const;

export const testStage = z.object({
  name: z.enum(testStageNames),
  /** `waiting`: in the queue, and tried again. */
  state: z.enum(["running", "done", "waiting", "failed"]),
  at: z.iso.datetime(),
  /** Why it failed or waits. */
  text: z.string().optional(),
});
export type TestStage = z.infer<typeof testStage>;

export const testMessage = z.object({ stages: z.array(testStage) });
export const sentTestMessage = z.object({ testId: z.uuid() });
export const testMessageParams = z.object({ aliasId: z.string(), testId: z.string() });
