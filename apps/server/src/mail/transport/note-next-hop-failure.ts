/**
 * Records mail hosts that fail before the first message (connection, greeting, EHLO, TLS or login): a metric for each
 * failure, and for the relay, without which no mail is sent, also a log event, at most one a minute for each code.
 */
import { type FailureCode, nextHopFailures } from "../../core/delivery/delivery.ts";
import type { Logger, Metrics } from "../../runtime/ports.ts";
import type { OpenFailure } from "./smtp-client/smtp-client.ts";

export interface NextHopDeps {
  metrics: Pick<Metrics, "count">;
  logger: Pick<Logger, "warn">;
  now?: () => number;
}

const QUIET_MS = 60_000;

export function countNextHopFailures({ metrics }: Pick<NextHopDeps, "metrics">) {
  return ({ outcome }: OpenFailure): void => {
    if (outcome.kind === "taken") return;
    metrics.count("kauke_next_hop_failures_total", { code: labelOf(outcome.failure.code) });
  };
}

export function noteRelayFailures({ metrics, logger, now = () => performance.now() }: NextHopDeps) {
  const count = countNextHopFailures({ metrics });
  const loggedAt = new Map<FailureCode, number>();
  return (failure: OpenFailure): void => {
    count(failure);
    const { outcome, replyCode } = failure;
    if (outcome.kind === "taken") return;
    const { code } = outcome.failure;
    if (now() - (loggedAt.get(code) ?? Number.NEGATIVE_INFINITY) < QUIET_MS) return;
    loggedAt.set(code, now());
    logger.warn("relay_refused", { code, ...(replyCode === null ? {} : { status: replyCode }) });
  };
}

function labelOf(code: FailureCode): FailureCode {
  return nextHopFailures.some((known) => known === code) ? code : "try_later";
}
