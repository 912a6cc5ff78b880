/** The stage that processes reports from mail hosts: bounces at our bounce addresses, complaints at abuse@. */
import { accept, type StageVerdict } from "../../verdict.ts";
import type { ScreenedMessage } from "../arrived-message.ts";
import { type TakeBounceDeps, takeBounces } from "./take-bounce.ts";
import { type TakeFeedbackDeps, takeFeedback } from "./take-feedback.ts";

export interface TakeReportsDeps {
  resolve: TakeFeedbackDeps["resolve"];
  takeBounce: TakeBounceDeps & TakeFeedbackDeps["takeBounce"];
}

export function takeReports(
  message: ScreenedMessage,
  deps: TakeReportsDeps,
): StageVerdict<ScreenedMessage> | Promise<StageVerdict<ScreenedMessage>> {
  const mayBeReport = message.transaction.recipients.some(({ kind }) => kind === "bounce" || kind === "operator");
  return mayBeReport ? takeReport(message, deps) : accept(message);
}

async function takeReport(message: ScreenedMessage, deps: TakeReportsDeps): Promise<StageVerdict<ScreenedMessage>> {
  const { transaction } = message;
  const bounces = transaction.recipients.filter((recipient) => recipient.kind === "bounce");
  await takeBounces(transaction, bounces, deps.takeBounce);
  await takeFeedback(transaction, deps);
  return accept(message);
}
