import { bounds } from "../../limits/table.ts";

const { bringMs, pauseMs, pauseMaxMs } = bounds.providerCalls;

/** How long the forwarding provider's worker waits, in milliseconds. Tests shorten it. */
export interface ProviderTimes {
  /** Between two looks for due aliases. */
  everyMs: number;
  /** After this long, a call whose response was lost is carried out, or never will be: the alias is looked at again. */
  recheckMs: number;
  retryMinMs: number;
  retryMaxMs: number;
  /** Between tries of what only a person can mend. */
  refusedMaxMs: number;
  /** Twice as long as an attempt may take. An alias that a killed process had claimed waits for so long. */
  leaseMs: number;
  /** While the provider is unreachable or refuses the key. */
  pauseMs: number;
  pauseMaxMs: number;
}

export const providerTimes: ProviderTimes = {
  everyMs: 1000,
  recheckMs: 60_000,
  retryMinMs: 2000,
  retryMaxMs: 60_000,
  refusedMaxMs: 3_600_000,
  leaseMs: 2 * bringMs,
  pauseMs,
  pauseMaxMs,
};
