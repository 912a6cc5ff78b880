/** The stage that reads what mail hosts report to us: bounces at the addresses we gave out for them, complaints at abuse@. */
import { accept, reject, type StageVerdict } from "../../verdict.ts";
import type { ScreenedMessage } from "../arrived-message.ts";
import { type TakeBounceDeps, takeBounces } from "./take-bounce.ts";
import { type TakeFeedbackDeps, takeFeedback } from "./take-feedback.ts";

export interface TakeReportsDeps {
  resolve: TakeFeedbackDeps["resolve"];
  takeBounce: TakeBounceDeps & TakeFeedbackDeps["takeBounce"];
}

/** @returns a refusal for what came to a bounce address and is no report */
export async function takeReports(
  message: ScreenedMessage,
  deps: TakeReportsDeps,
): Promise<StageVerdict<ScreenedMessage>> {
  const { transaction } = message;
  const bounces = transaction.recipients.filter((recipient) => recipient.kind === "bounce");
  if (!(await takeBounces(transaction, bounces, deps.takeBounce))) return reject("not_a_bounce");
  await takeFeedback(transaction, deps);
  return accept(message);
}
