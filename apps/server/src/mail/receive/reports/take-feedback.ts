/**
 * A complaint at abuse@ about mail we forwarded (ARF): its owner gets a notice. Which alias it is about tells the envelope sender
 * that the report names, since we made it with a keyed hash; a complaint that names none of ours tells nobody anything. It goes to
 * the operator as all mail to abuse@ does, and changes nothing else.
 */
import { MailSyntaxError, parsePath, readFeedbackReport, unstuff } from "@kauke/mail-rfc";
import type { FailureReporter } from "../../queue/report-failure.ts";
import type { Transaction } from "../../transaction.ts";
import { type ResolveDeps, resolve } from "../resolve.ts";
import type { TakeBounceDeps } from "./take-bounce.ts";

export interface TakeFeedbackDeps {
  resolve: ResolveDeps;
  takeBounce: Pick<TakeBounceDeps, "aliases" | "limits"> & { failures: Pick<FailureReporter, "reportComplaint"> };
}

export async function takeFeedback({ wire, recipients }: Transaction, deps: TakeFeedbackDeps): Promise<void> {
  if (!recipients.some((it) => it.kind === "operator" && it.address.startsWith("abuse@"))) return;
  const facts = readFeedbackReport(unstuff(wire));
  const aliasId = facts === null ? null : await aliasOf(facts.mailFrom, deps.resolve);
  if (aliasId === null) return;
  const { aliases, limits, failures } = deps.takeBounce;
  const route = await aliases.findRouteById(aliasId);
  if (route !== null && limits.takeNotice(route)) await failures.reportComplaint(route);
}

/** @returns `null` for what is no address of ours that names an alias */
async function aliasOf(mailFrom: string, deps: ResolveDeps): Promise<string | null> {
  try {
    const verdict = await resolve(parsePath(`<${mailFrom}>`), true, deps);
    return verdict.verdict === "accept" && verdict.value.kind === "bounce" ? verdict.value.aliasId : null;
  } catch (thrown) {
    if (thrown instanceof MailSyntaxError) return null;
    throw thrown;
  }
}
