/**
 * Counts page events into `/metrics`. Reads and sets no cookie and stores nothing. A flood from one network gets the
 * usual response but is not counted beyond its limit, which costs one entry in a bounded map keyed by keyed hashes.
 */
import { createHmac } from "node:crypto";
import { TokenBuckets } from "../../limits/token-buckets.ts";
import { type Clock, type Metrics, type Random, steadyMs } from "../../runtime/ports.ts";
import type { HandlersOf } from "../handler.ts";

/** Maximum counted events per network and minute. A user opens some tens of pages; an office shares one network. */
export const countedAtMost = { max: 600, windowSeconds: 60 };
/** Maximum networks whose page events are counted at a time, about 100 bytes each. */
const NETWORKS_MAX = 4096;

interface Parts {
  clock: Clock;
  random: Random;
  metrics: Metrics;
}

export function analyticsHandlers({ clock, random, metrics }: Parts): HandlersOf<"countEvent"> {
  const buckets = new TokenBuckets(countedAtMost, NETWORKS_MAX);
  const key = random.bytes(32);
  return {
    async countEvent({ body, clientAddress }) {
      const network = createHmac("sha256", key).update(clientAddress).digest("base64url").slice(0, 16);
      if (buckets.take(network, steadyMs(clock))) metrics.count("kauke_page_events_total", { event: body.event });
      return {};
    },
  };
}
