/**
 * Counts events of the pages into `/metrics`. No cookie is read or set, nothing is stored; a flood from one network is answered
 * as ever and not counted, at the cost of one entry in a bounded map, whose keys are no addresses.
 */
import { createHmac } from "node:crypto";
import { type Clock, type Metrics, type Random, steadyMs } from "../../core/ports.ts";
import { TokenBuckets } from "../../core/rate-limit/token-buckets.ts";
import type { HandlersOf } from "../handler.ts";

/** A person clicks through some tens of pages in a minute; an office does so together. */
export const countedAtMost = { max: 600, windowSeconds: 60 };
/** Networks remembered; some 100 bytes each. */
const networksMax = 4096;

interface Parts {
  clock: Clock;
  random: Random;
  metrics: Metrics;
}

export function analyticsHandlers({ clock, random, metrics }: Parts): HandlersOf<"countEvent"> {
  const buckets = new TokenBuckets(countedAtMost, networksMax);
  const key = random.bytes(32);
  return {
    async countEvent({ body, clientAddress }) {
      const network = createHmac("sha256", key).update(clientAddress).digest("base64url").slice(0, 16);
      if (buckets.take(network, steadyMs(clock))) metrics.count("kauke_page_events_total", { event: body.event });
      return {};
    },
  };
}
