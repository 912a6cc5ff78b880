/** Orders and renews certificates (ACME), one process at a time under a lease. A failure leaves the current ones. */
import { createHash } from "node:crypto";
import { createSecureContext, type SecureContext } from "node:tls";
import type { CertificateRecords, WantedCertificate } from "../../core/certificate.ts";
import { type CertificatePair, makeSelfSigned } from "../self-signed.ts";
import { ORDER_MS, type RenewalOptions, renewCertificate } from "./renew-certificate.ts";
import {
  alpnChallengeName,
  CHALLENGES_READ_EVERY_MS,
  certificateStandingOf,
  forgotten,
  type OrderState,
  orderDueAt,
  type StoredCertificate,
  validUntil,
  writeState,
} from "./stored-certificate.ts";

export interface IssuerOptions extends RenewalOptions {
  records: CertificateRecords;
  wanted: readonly WantedCertificate[];
  /** True if no other process uses the store, so that a lease in it is one of a dead process. */
  isAlone: boolean;
  checkEveryMs?: number;
  /** Resolves when the listeners of this process serve what is stored now. */
  onStored?(): Promise<void>;
}

export interface CertificateStatus {
  hosts: readonly string[];
  leftOut: readonly string[];
  /** ISO 8601; `null` while there is no certificate. */
  validUntil: string | null;
  failure: OrderState["failure"];
  nextOrderAt: string;
}

export interface CertificateIssuer {
  /** Body of `/.well-known/acme-challenge/<token>`; `null` for an unknown token. */
  challenge(token: string): Promise<string | null>;
  /** Certificates for challenges at port 443 (RFC 8737), by name; `null` while none is open. */
  challengeContexts(): Promise<((name?: string) => SecureContext) | null>;
  start(): void;
  /**
   * Orders missing certificates at once, skipping the pause after a failure: the operator has fixed something.
   * @returns false if that was asked too often
   */
  orderNow(): Promise<boolean>;
  /** Aborts an order in flight. The next start continues it. */
  close(): Promise<void>;
}

const LEASE_MS = ORDER_MS + 60_000;
const HOUR_MS = 3_600_000;
/** Orders that the operator may request per hour: Let's Encrypt allows five failures per name and hour. */
const REQUESTS_AN_HOUR = 4;

export function certificateIssuer(options: IssuerOptions): CertificateIssuer {
  const { records, wanted, isAlone, logger, checkEveryMs = 60_000 } = options;
  const readChallenges = challengeReader(records);
  const closing = new AbortController();
  let running = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const look = async (isAsked = false) => {
    clearTimeout(timer);
    // An error of the store; the next check tries again.
    const failed = () => logger.error("certificate_order_failed", { code: "store" });
    await orderDue(options, { closing: closing.signal, isAsked }).catch(failed);
    if (closing.signal.aborted) return;
    timer = setTimeout(() => {
      running = running.then(() => look());
    }, checkEveryMs).unref();
  };
  let requests: number[] = [];
  const mayRequest = () => {
    const now = performance.now();
    requests = requests.filter((at) => now - at < HOUR_MS);
    return requests.length < REQUESTS_AN_HOUR && requests.push(now) > 0;
  };
  return {
    challenge: async (token) => (await readChallenges()).get(token) ?? null,
    challengeContexts: async () => contextsOf(await readChallenges(), options.clock.now()),
    start: () => {
      const begun = isAlone ? records.delete("lease", "order") : Promise.resolve();
      running = begun.catch(() => {}).then(() => look());
    },
    orderNow: async () => {
      if (!mayRequest()) return false;
      // Waits for an order in flight, which would otherwise write its failure afterwards.
      running = running.then(async () => {
        for (const { label } of wanted) {
          const { state } = await certificateStandingOf(options, label);
          await writeState(records, label, forgotten(state));
        }
        await look(true);
      });
      await running;
      return true;
    },
    close: async () => {
      closing.abort();
      clearTimeout(timer);
      await running;
    },
  };
}

/** All certificates stored by now. */
export async function storedPairs(records: CertificateRecords): Promise<CertificatePair[]> {
  return (await records.list("certificate")).map(({ value }) => value as StoredCertificate);
}

function challengeReader(records: CertificateRecords): () => Promise<ReadonlyMap<string, string>> {
  let known: { at: number; values: Promise<Map<string, string>> } | null = null;
  return async () => {
    const now = performance.now();
    if (known === null || now - known.at > CHALLENGES_READ_EVERY_MS) {
      const values = records
        .list("challenge")
        .then((all) => new Map(all.map(({ name, value }) => [name, String(value)])));
      known = { at: now, values };
    }
    return await known.values;
  };
}

function contextsOf(challenges: ReadonlyMap<string, string>, now: Date): ((name?: string) => SecureContext) | null {
  const prefix = alpnChallengeName("");
  if (![...challenges.keys()].some((name) => name.startsWith(prefix))) return null;
  return (name = "") => {
    const proof = challenges.get(alpnChallengeName(name));
    return proof === undefined ? createSecureContext() : createSecureContext(challengeCertificate(name, proof, now));
  };
}

const DAY_MS = 86_400_000;

/** A certificate with the proof's hash in the extension acmeIdentifier (RFC 8737 §3). */
function challengeCertificate(host: string, proof: string, now: Date): CertificatePair {
  const [notBefore, notAfter] = [new Date(now.getTime() - DAY_MS), new Date(now.getTime() + DAY_MS)];
  const acmeIdentifier = createHash("sha256").update(proof).digest();
  return makeSelfSigned({ commonName: host, hosts: [host], notBefore, notAfter, acmeIdentifier });
}

export function certificateStatus(issuer: IssuerState, wanted: readonly WantedCertificate[]) {
  return Promise.all(wanted.map((one) => statusOf(issuer, one)));
}

type IssuerState = Pick<IssuerOptions, "records" | "directoryUrl">;

async function statusOf(issuer: IssuerState, { label, hosts }: WantedCertificate): Promise<CertificateStatus> {
  const standing = await certificateStandingOf(issuer, label);
  const { stored, state } = standing;
  return {
    hosts,
    leftOut: state.leftOut,
    validUntil: stored === null ? null : validUntil(stored).toISOString(),
    failure: state.failure,
    nextOrderAt: new Date(orderDueAt(standing, hosts)).toISOString(),
  };
}

/** Orders due certificates in turn, unless another process holds the lease. */
async function orderDue(options: IssuerOptions, given: { closing: AbortSignal; isAsked: boolean }): Promise<void> {
  const { closing } = given;
  const { records, wanted, clock } = options;
  const now = clock.now();
  const due: WantedCertificate[] = [];
  for (const one of wanted) if (await isDue(options, one, now)) due.push(one);
  if (due.length === 0 || closing.aborted) return;
  const lease = await records.takeLease(new Date(now.getTime() + LEASE_MS * due.length), now);
  if (lease === null) return;
  try {
    for (const one of due) {
      // Another process may have ordered before this one got the lease.
      if (closing.aborted || !(await isDue(options, one, now))) continue;
      await renewCertificate(options, one, given);
      await options.onStored?.();
    }
  } finally {
    await records.releaseLease(lease);
  }
}

/** Whether to order, or to ask the issuer when to renew; a failure delays both. */
async function isDue(issuer: IssuerState, { label, hosts }: WantedCertificate, now: Date): Promise<boolean> {
  const standing = await certificateStandingOf(issuer, label);
  const { stored, state } = standing;
  const pausedUntil = state.failure === null ? 0 : Date.parse(state.notBefore);
  const askAt = stored === null ? Number.POSITIVE_INFINITY : Math.max(Date.parse(stored.askAgainAt), pausedUntil);
  return Math.min(orderDueAt(standing, hosts), askAt) <= now.getTime();
}
