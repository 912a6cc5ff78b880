/**
 * The stage that processes what mail hosts write by themselves: reports and absence notes at our bounce addresses,
 * complaints at abuse@.
 */
import { accept, endWith, type StageVerdict } from "../../verdict.ts";
import type { ScreenedMessage } from "../screen.ts";
import type { SendNoteDeps } from "./send-note.ts";
import { type TakeBounceDeps, takeBounces } from "./take-bounce.ts";
import { type TakeFeedbackDeps, takeFeedback } from "./take-feedback.ts";

export interface TakeReportsDeps {
  resolve: TakeFeedbackDeps["resolve"];
  takeBounce: TakeBounceDeps & TakeFeedbackDeps["takeBounce"];
  ownerReplies: SendNoteDeps;
}

export async function takeReports(
  message: ScreenedMessage,
  deps: TakeReportsDeps,
): Promise<StageVerdict<ScreenedMessage>> {
  const { transaction } = message;
  const mayBeReport = transaction.recipients.some(({ kind }) => kind === "bounce" || kind === "operator");
  if (!mayBeReport) return accept(message);
  const bounces = transaction.recipients.filter((recipient) => recipient.kind === "bounce");
  const deferral = await takeBounces(message, bounces, { ...deps.takeBounce, sendNote: deps.ownerReplies });
  if (deferral !== null) return endWith(deferral);
  await takeFeedback(transaction, deps);
  return accept(message);
}
