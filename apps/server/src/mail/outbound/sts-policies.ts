/**
 * What domains ask of whoever sends them mail (MTA-STS, RFC 8461): policies kept for as long as they say, renewed when the
 * `id` in the DNS changes or a day has passed. A policy that can't be renewed holds until it runs out; none ever seen means
 * none. In memory only: after a restart the first mail to a domain trusts the DNS again.
 */
import { dnsFor } from "../inbound/authenticate.ts";
import { fetchStsPolicy, type StsFetchRules } from "./fetch-sts-policy.ts";

export interface StsPolicy {
  mode: "enforce" | "testing";
  /** @param host A-labels */
  lists(host: string): boolean;
}

export interface StsPolicies {
  /** @param domain A-labels, lower case @returns `null`: the domain asks nothing */
  find(domain: string): Promise<StsPolicy | null>;
}

export interface StsOptions extends StsFetchRules {
  now?: () => number;
}

interface Known {
  id: string;
  policy: StsPolicy | null;
  expiresAt: number;
  renewAt: number;
}

const KNOWN_MAX = 10_000;
const DAY_MS = 24 * 3600 * 1000;
/** After a failed fetch (RFC 8461 §3.3). */
const PAUSE_MS = 5 * 60_000;

export function createStsPolicies(options: StsOptions): StsPolicies {
  const { now = Date.now } = options;
  const known = new Map<string, Known>();
  const pausedUntil = new Map<string, number>();
  const underWay = new Map<string, Promise<void>>();
  const resolver = dnsFor(options.resolver);

  async function renew(domain: string, id: string): Promise<void> {
    const file = await fetchStsPolicy(domain, options);
    const read = file === null ? null : await readPolicy(file);
    if (read === null) return remember(pausedUntil, domain, now() + PAUSE_MS);
    pausedUntil.delete(domain);
    const { policy, maxAgeMs } = read;
    const fresh = { id, policy, expiresAt: now() + maxAgeMs, renewAt: now() + Math.min(DAY_MS, maxAgeMs / 2) };
    remember(known, domain, fresh);
  }

  /** Those who ask for a domain meanwhile wait for the same fetch. */
  function renewOnce(domain: string, id: string): Promise<void> {
    const running = underWay.get(domain);
    if (running !== undefined) return running;
    const started = renew(domain, id).finally(() => underWay.delete(domain));
    underWay.set(domain, started);
    return started;
  }

  return {
    async find(domain) {
      const { resolvePolicy } = await import("mailauth/lib/mta-sts.js");
      const id = await resolvePolicy(domain, { resolver, strict: true }).catch(() => false as const);
      const before = known.get(domain);
      const isFresh = before !== undefined && before.id === id && before.renewAt > now();
      const isPaused = (pausedUntil.get(domain) ?? 0) > now();
      if (id !== false && !isFresh && !isPaused) await renewOnce(domain, id);
      const found = known.get(domain);
      return found !== undefined && found.expiresAt > now() ? found.policy : null;
    },
  };
}

/** The oldest entry makes room. */
function remember<T>(map: Map<string, T>, domain: string, value: T): void {
  map.delete(domain);
  if (map.size >= KNOWN_MAX) map.delete(map.keys().next().value ?? "");
  map.set(domain, value);
}

async function readPolicy(file: string): Promise<{ policy: StsPolicy | null; maxAgeMs: number } | null> {
  try {
    const { parsePolicy, validateMx } = await import("mailauth/lib/mta-sts.js");
    const parsed = parsePolicy(file, { strict: true });
    const { mode } = parsed;
    const policy = mode === "none" ? null : { mode, lists: (host: string) => validateMx(host, parsed).valid };
    return { policy, maxAgeMs: (parsed.maxAge ?? 0) * 1000 };
  } catch {
    return null;
  }
}
