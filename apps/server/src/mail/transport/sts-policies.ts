/**
 * MTA-STS policies (RFC 8461), renewed when the `id` in DNS changes, after a day, or after half of their lifetime. One
 * that can't be renewed is used until it expires. In memory only: after a restart, the first mail trusts DNS again.
 */

import type { IncomingMessage } from "node:http";
import { listsStsHost, readStsId, readStsPolicy } from "@kauke/mail-rfc";
import { bounds } from "../../limits/table.ts";
import { collectStream } from "../../runtime/byte-streams.ts";
import { BoundedMap } from "../../runtime/maps.ts";
import type { Resolver } from "../dns/resolver.ts";
import { type GuardedRequestRules, guardedRequest } from "./address-guard.ts";
import { CallSlots } from "./call-slots.ts";
import type { OngoingAttempt } from "./transport.ts";

export interface StsPolicy {
  mode: "enforce" | "testing";
  lists(host: string): boolean;
}

export interface StsPolicies {
  /** @returns `null`: no policy, or it can't be fetched; `busy`: too many fetches are in progress */
  find(domain: string, attempt: OngoingAttempt): Promise<StsPolicy | null | "busy">;
}

export interface StsFetchRules extends GuardedRequestRules {
  port?: number | undefined;
  deadlineMs?: number;
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
/** Each fetch takes up to ten seconds. Others wait in a queue that serves accounts in turn. */
const FETCHES = bounds.stsFetches;
const DAY_MS = 24 * 3600 * 1000;
/** Milliseconds before the next fetch after a failed one (RFC 8461 §3.3). */
const PAUSE_MS = 5 * 60_000;

export function createStsPolicies(options: StsOptions): StsPolicies {
  const { now = () => performance.now() } = options;
  const known = new BoundedMap<string, Known>(KNOWN_MAX);
  const pausedUntil = new BoundedMap<string, number>(KNOWN_MAX);
  const fetching = new Map<string, Promise<void>>();
  const waiting = new Map<string, Promise<boolean>>();
  const slots = new CallSlots(FETCHES);

  async function renew(domain: string, id: string): Promise<void> {
    const file = await fetchStsPolicy(domain, options);
    const read = file === null ? null : readStsPolicy(file);
    if (read === null) return void pausedUntil.set(domain, now() + PAUSE_MS);
    pausedUntil.delete(domain);
    const { mode } = read;
    const policy = mode === "none" ? null : { mode, lists: (host: string) => listsStsHost(read, host) };
    const maxAgeMs = read.maxAgeSeconds * 1000;
    const fresh = { id, policy, expiresAt: now() + maxAgeMs, renewAt: now() + Math.min(DAY_MS, maxAgeMs / 2) };
    known.set(domain, fresh);
  }

  const isFresh = (domain: string, id: string): boolean => {
    const before = known.get(domain);
    return before !== undefined && before.id === id && before.renewAt > now();
  };
  const isPaused = (domain: string): boolean => (pausedUntil.get(domain) ?? 0) > now();

  async function renewInTurn(domain: string, id: string, attempt: OngoingAttempt): Promise<boolean> {
    const slot = await slots.take(domain, attempt);
    if (slot === null) return false;
    try {
      // Requests that have a slot at the same time share one fetch.
      if (!isFresh(domain, id) && !isPaused(domain)) await shared(fetching, domain, () => renew(domain, id));
    } finally {
      slot.free();
    }
    return true;
  }

  /** Shares one wait between a party's requests for a domain; its other domains do not delay it. */
  function renewOnce(domain: string, id: string, attempt: OngoingAttempt): Promise<boolean> {
    return shared(waiting, `${domain} ${attempt.party}`, () => renewInTurn(domain, id, attempt));
  }

  return {
    async find(domain, attempt) {
      const id = await announcedId(domain, options.resolver);
      const isAsked = id === null || isFresh(domain, id) || isPaused(domain) || (await renewOnce(domain, id, attempt));
      const found = known.get(domain);
      if (found !== undefined && found.expiresAt > now()) return found.policy;
      return isAsked ? null : "busy";
    },
  };
}

async function announcedId(domain: string, resolver: Resolver): Promise<string | null> {
  const found = await resolver.resolveTxt(`_mta-sts.${domain}`);
  return found.kind === "found" ? readStsId(found.records) : null;
}

function shared<T>(inProgress: Map<string, Promise<T>>, key: string, start: () => Promise<T>): Promise<T> {
  const running = inProgress.get(key) ?? start().finally(() => inProgress.delete(key));
  inProgress.set(key, running);
  return running;
}

/** One HTTPS request to `mta-sts.<domain>` through the address guard (RFC 8461 §3.3), without redirects. */
export function fetchStsPolicy(domain: string, rules: StsFetchRules): Promise<string | null> {
  // The sender of a message waits for this, so the deadline is shorter than the minute of RFC 8461 §3.3.
  const { port = 443, deadlineMs = 10_000 } = rules;
  return new Promise((resolve) => {
    const url = URL.parse(`https://mta-sts.${domain}:${port}/.well-known/mta-sts.txt`);
    if (url === null) return resolve(null);
    const asked = guardedRequest(url, rules, {});
    const finish = (file: string | null) => {
      clearTimeout(timer);
      resolve(file);
      asked.destroy();
    };
    const timer = setTimeout(() => finish(null), deadlineMs);
    asked.on("error", () => finish(null)).on("close", () => finish(null));
    asked.on("response", (response) => void readFile(response).then(finish));
    asked.end();
  });
}

async function readFile(response: IncomingMessage): Promise<string | null> {
  const type = response.headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase();
  if (response.statusCode !== 200 || type !== "text/plain") return null;
  const chunks = await collectStream(response, bounds.stsPolicy.fileBytes);
  return chunks === null ? null : Buffer.concat(chunks).toString();
}
