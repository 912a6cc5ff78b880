/**
 * Orders and renews the certificates of own domains' policy hosts. Apart from the server's own: another account at the
 * issuer, other records, a queue of its own; so a failed or slow order delays no other certificate.
 */
import { randomInt } from "node:crypto";
import { policyHost } from "../../core/certificate.ts";
import type {
  DueCertificate,
  OrderRecords,
  PolicyCertificateStore,
  PolicyOutcome,
} from "../../core/domain/policy-certificates.ts";
import { giveBackLimit, type LimitDeps, tryLimit } from "../../core/take-limit.ts";
import { bounds } from "../../limits/table.ts";
import { DueWorker } from "../due-worker.ts";
import { ORDER_MS, type RenewalOptions, renewCertificate } from "./renew-certificate.ts";
import { type CertificateStanding, certificateStandingOf, orderDueAt, validUntil } from "./stored-certificate.ts";

const { atOnce, pauseMs } = bounds.policyCertificates;
const LEASE_MS = ORDER_MS + 60_000;
const POLL_MS = 30_000;
/** Largest part of a wait by which it is longer. */
const SPREAD_PART = 0.25;
/** Nothing is due again sooner. */
const AGAIN_MS = 60_000;

export interface PolicyWorkerOptions extends Omit<RenewalOptions, "records" | "hasHttps">, LimitDeps {
  policyCertificates: PolicyCertificateStore;
  pollMs?: number | undefined;
}

export class PolicyWorker {
  readonly #options: PolicyWorkerOptions;
  readonly #worker: DueWorker<DueCertificate>;
  /** The issuer has refused an order because of a rate limit, which may be one of the account that all domains share. */
  #pausedUntil = 0;

  constructor(options: PolicyWorkerOptions) {
    this.#options = options;
    const { policyCertificates, logger } = options;
    this.#worker = new DueWorker({
      atOnce,
      pollMs: options.pollMs ?? POLL_MS,
      claim: async (most) => (this.#isPaused() ? [] : await policyCertificates.claimDue({ most, leaseMs: LEASE_MS })),
      work: async (due, stopping) => await policyCertificates.settle(due, await this.#orderIfDue(due, stopping)),
      onFailure: () => logger.warn("policy_certificate_failed", { code: "store" }),
    });
  }

  start(): void {
    this.#worker.start();
  }

  /** Orders in progress are aborted, and continued later. */
  async close(): Promise<void> {
    await this.#worker.close();
  }

  /** A clock that was set back prolongs no pause. */
  #isPaused(): boolean {
    const leftMs = this.#pausedUntil - this.#options.clock.now().getTime();
    return leftMs > 0 && leftMs <= pauseMs;
  }

  async #orderIfDue(due: DueCertificate, stopping: AbortSignal): Promise<PolicyOutcome> {
    const { policyCertificates, clock, logger, directoryUrl } = this.#options;
    const records = policyCertificates.recordsOf(due.domainId);
    const label = "policy";
    const hosts = [policyHost(due.domain)];
    const standing = () => certificateStandingOf({ records, directoryUrl }, label);
    const before = await standing();
    const dueAt = nextDue(before, hosts);
    const now = clock.now().getTime();
    if (dueAt > now) return outcomeOf(before, spread(now, dueAt), clock.now());
    if (orderDueAt(before, hosts) <= now) {
      const freeAt = await this.#takeShare(due.userId);
      if (freeAt !== null) return outcomeOf(before, spread(now, freeAt.getTime()), clock.now());
    }
    await this.#order(records, { label, hosts }, stopping);
    if (stopping.aborted) return outcomeOf(before, clock.now(), clock.now());
    const after = await standing();
    const { failure, failures } = after.state;
    if (failure !== null) logger.info("policy_certificate_failed", { code: failure, count: failures });
    if (failure === "rate_limited") this.#pausedUntil = clock.now().getTime() + pauseMs;
    return outcomeOf(after, spread(now, Math.max(nextDue(after, hosts), now + AGAIN_MS)), clock.now());
  }

  #order(records: OrderRecords, wanted: { label: string; hosts: string[] }, closing: AbortSignal): Promise<void> {
    const logger = { info: () => {}, warn: () => {}, error: () => {} };
    const options = { ...this.#options, records, logger, hasHttps: false };
    return renewCertificate(options, wanted, { closing, isAsked: false });
  }

  /** Counts an order. @returns when the next one is allowed if there was none left */
  async #takeShare(userId: string): Promise<Date | null> {
    const ofAccount = await tryLimit(this.#options, "policy_order_account", { userId });
    if (ofAccount !== null) return ofAccount;
    const ofAll = await tryLimit(this.#options, "policy_order_all", { key: "policy certificates" });
    if (ofAll !== null) await giveBackLimit(this.#options, "policy_order_account", { userId });
    return ofAll;
  }
}

function outcomeOf({ stored, state: { failure } }: CertificateStanding, dueAt: Date, now: Date): PolicyOutcome {
  if (stored !== null && validUntil(stored) > now) return { state: "served", dueAt };
  return { state: failure === null ? "waiting" : "delayed", dueAt };
}

/** When to order, or to ask the issuer when to renew. */
function nextDue(standing: CertificateStanding, hosts: readonly string[]): number {
  const { stored, state } = standing;
  const pausedUntil = state.failure === null ? 0 : Date.parse(state.notBefore);
  const askAt = stored === null ? Number.POSITIVE_INFINITY : Math.max(Date.parse(stored.askAgainAt), pausedUntil);
  return Math.min(orderDueAt(standing, hosts), askAt);
}

/** Later by a random part of the wait, so that domains that failed together are not tried together. */
function spread(now: number, dueAt: number): Date {
  const part = (randomInt(2 ** 32) / 2 ** 32) * SPREAD_PART;
  return new Date(Math.round(dueAt + Math.max(0, dueAt - now) * part));
}
