/**
 * Processes a complaint (ARF) sent to abuse@ about mail we forwarded: the alias' owner gets a notice. The alias is
 * found by the envelope sender that the report quotes, which carries our keyed hash; a complaint that quotes none of
 * ours triggers no notice. Like all mail to abuse@ it also goes to the operator, and it has no other effect.
 */
import { MailSyntaxError, parsePath, readFeedbackReport, unstuff } from "@kauke/mail-rfc";
import type { FailureReporter } from "../../delivery/failures.ts";
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

/** @returns id of the alias that a bounce address of ours names; `null` for other addresses, or if it names none */
async function aliasOf(mailFrom: string, deps: ResolveDeps): Promise<string | null> {
  try {
    const verdict = await resolve(parsePath(`<${mailFrom}>`), true, deps);
    return verdict.verdict === "accept" && verdict.value.kind === "bounce" ? verdict.value.aliasId : null;
  } catch (thrown) {
    if (thrown instanceof MailSyntaxError) return null;
    throw thrown;
  }
}
