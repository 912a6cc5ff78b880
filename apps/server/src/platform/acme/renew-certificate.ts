import { randomInt, X509Certificate } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { type CertificateRecords, orderPauseMs, renewalTime, type WantedCertificate } from "../../core/certificate.ts";
import type { Clock, Logger } from "../../runtime/ports.ts";
import type { CertificatePair } from "../self-signed.ts";
import { AcmeClient, AcmeError } from "./acme-client.ts";
import { type ChallengeType, newEcKey, type OpenOrder, orderCertificate, type ShownChallenge } from "./order.ts";
import { nextRenewalInfo } from "./renewal-info.ts";
import {
  alpnChallengeName,
  CHALLENGES_READ_EVERY_MS,
  certificateStandingOf,
  covers,
  type OrderState,
  orderDueAt,
  type StoredCertificate,
  validUntil,
  writeCertificate,
  writeState,
} from "./stored-certificate.ts";

export interface RenewalOptions {
  directoryUrl: string;
  /** E-mail address for the issuer's messages; `null`: none. */
  contact: string | null;
  records: Pick<CertificateRecords, "read" | "write" | "delete">;
  /** Names without an address in DNS are not ordered. */
  hasAddress(host: string): Promise<boolean>;
  clock: Clock;
  logger: Logger;
  /** True if challenges can be shown at port 443 too, for names whose port 80 leads elsewhere. */
  hasHttps: boolean;
  /** PEM of root certificates that replace Node's, for a private issuer. */
  ca?: string | undefined;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Timeout of an order in milliseconds; the next check continues it. */
export const ORDER_MS = 5 * 60_000;
/** With less time left, a certificate is replaced even by one with fewer names. */
const SPARE_MS = 7 * DAY_MS;

/** Renews if due, else asks the issuer when to renew. Stores and logs failures. */
export async function renewCertificate(
  options: RenewalOptions,
  { label, hosts }: WantedCertificate,
  { closing, isAsked }: { closing: AbortSignal; isAsked: boolean },
): Promise<void> {
  const { records, clock, logger, directoryUrl } = options;
  const now = clock.now();
  const { stored, state } = await certificateStandingOf(options, label);
  const signal = AbortSignal.any([closing, AbortSignal.timeout(ORDER_MS)]);
  try {
    const client = await openAccount(options, signal);
    const current = stored === null ? null : await askWhenToRenew(client, stored, now);
    if (current !== null && current !== stored) await writeCertificate(records, label, current);
    if (orderDueAt({ stored: current, state }, hosts) > now.getTime()) return;
    const { pair, leftOut } = await orderProvable(options, client, { label, hosts, stored: current, isAsked, signal });
    if (pair !== null) await writeCertificate(records, label, { ...withTimes(pair, now), directoryUrl });
    // After the certificate is stored, so that a killed process finds the order again.
    await records.delete("order", label);
    const notBefore = new Date(leftOut.length === 0 ? 0 : now.getTime() + DAY_MS).toISOString();
    await writeState(records, label, { failures: 0, notBefore, failure: null, leftOut });
    if (pair !== null) logger.info("certificate_issued", { count: hosts.length - leftOut.length });
  } catch (thrown) {
    // A shutdown is no failure: the next start continues the order.
    if (closing.aborted) return;
    if (!(thrown instanceof AcmeError || thrown instanceof NoAddress)) throw thrown;
    await noteFailure(options, { label, state, failure: thrown });
  }
}

async function noteFailure(
  { records, clock, logger, directoryUrl }: RenewalOptions,
  { label, state, failure }: { label: string; state: OrderState; failure: AcmeError | NoAddress },
): Promise<void> {
  const { code, hosts: leftOut } = failure;
  const failures = state.failures + 1;
  const pauseMs = orderPauseMs(failures, failure instanceof AcmeError ? failure.retryAfterMs : null);
  const notBefore = new Date(clock.now().getTime() + pauseMs).toISOString();
  if (code === "account_gone") await records.delete("account", directoryUrl);
  // After these failures the issuer may still finish the order.
  if (code !== "unreachable" && code !== "rate_limited") await records.delete("order", label);
  await writeState(records, label, { failures, notBefore, failure: code, leftOut });
  logger.warn("certificate_order_failed", { code, count: failures });
}

/** Names have no address in DNS, and the certificate must not be ordered without them. */
class NoAddress extends Error {
  readonly code = "no_address";
  readonly hosts: readonly string[];

  constructor(hosts: readonly string[]) {
    super("no address");
    this.hosts = hosts;
  }
}

interface Order {
  label: string;
  hosts: readonly string[];
  stored: StoredCertificate | null;
  /** The operator has just created the names' records, so a cached DNS response must not block the order. */
  isAsked: boolean;
  signal: AbortSignal;
}

/** Leaves out unprovable names, except those of a certificate with time left. @returns `pair: null`: nothing new */
async function orderProvable(
  options: RenewalOptions,
  client: AcmeClient,
  order: Order,
): Promise<{ pair: CertificatePair | null; leftOut: string[] }> {
  const { records, clock, hasAddress } = options;
  const { hosts, stored, isAsked } = order;
  const now = clock.now().getTime();
  const mustStay = stored !== null && validUntil(stored).getTime() - now > SPARE_MS ? stored : null;
  const found = isAsked ? [] : await Promise.all(hosts.map(hasAddress));
  const leftOut = hosts.filter((_, index) => found[index] === false);
  const byAlpn = new Set<string>();
  for (;;) {
    const asked = hosts.filter((host) => !leftOut.includes(host));
    const isLost = mustStay !== null && leftOut.some((host) => covers(mustStay, [host]));
    if (asked.length === 0 || isLost) throw new NoAddress(leftOut);
    const isFresh = stored !== null && now < Date.parse(stored.renewAt) && covers(stored, asked);
    if (leftOut.length > 0 && isFresh) return { pair: null, leftOut };
    try {
      return { pair: await orderOrContinue(options, client, { ...order, hosts: asked, byAlpn }), leftOut };
    } catch (thrown) {
      if (!(thrown instanceof AcmeError) || thrown.code !== "refused") throw thrown;
      const strays = thrown.hosts.filter((host) => asked.includes(host));
      await records.delete("order", order.label);
      const untried = options.hasHttps ? strays.filter((host) => !byAlpn.has(host)) : [];
      for (const host of untried) byAlpn.add(host);
      if (untried.length > 0) continue;
      if (strays.length === 0 || strays.length === asked.length) throw thrown;
      leftOut.push(...strays);
    }
  }
}

async function orderOrContinue(
  { records, clock, directoryUrl }: RenewalOptions,
  client: AcmeClient,
  { label, hosts, stored, signal, byAlpn }: Order & { byAlpn: ReadonlySet<string> },
): Promise<CertificatePair> {
  const expiresAt = new Date(clock.now().getTime() + DAY_MS);
  const left = (await records.read("order", label)) as (OpenOrder & { directoryUrl: string }) | null;
  // A process may have been killed between storing the certificate and deleting its order.
  const isOpen =
    left?.directoryUrl === directoryUrl && left.key !== stored?.key && String(left.hosts) === String(hosts);
  const open = isOpen ? left : null;
  const ports = {
    recordOrder: (value: OpenOrder) =>
      records.write({ kind: "order", name: label, value: { ...value, directoryUrl }, expiresAt }),
    wayFor: (host: string): ChallengeType => (byAlpn.has(host) ? "tls-alpn-01" : "http-01"),
    showChallenge: async ({ type, host, token, keyAuthorization: value }: ShownChallenge) => {
      const name = type === "http-01" ? token : alpnChallengeName(host);
      await records.write({ kind: "challenge", name, value, expiresAt });
      // Waits until every process has read the challenge.
      await pause(2 * CHALLENGES_READ_EVERY_MS);
    },
  };
  return await orderCertificate(client, { hosts, open, signal }, ports).catch((thrown: unknown) => {
    // The issuer no longer knows an order that expired, or one of a former account.
    const isForgotten = thrown instanceof AcmeError && thrown.code === "refused" && thrown.hosts.length === 0;
    if (open !== null && isForgotten) return orderCertificate(client, { hosts, open: null, signal }, ports);
    throw thrown;
  });
}

interface StoredAccount {
  key: string;
  url: string | null;
}

/** Stores the key before the issuer gets it, so that a killed process creates no second account. */
async function openAccount(options: RenewalOptions, signal: AbortSignal): Promise<AcmeClient> {
  const { records, directoryUrl, contact, ca } = options;
  const stored = (await records.read("account", directoryUrl)) as StoredAccount | null;
  const account = stored ?? { key: newEcKey(), url: null };
  const write = (value: StoredAccount) =>
    records.write({ kind: "account", name: directoryUrl, value, expiresAt: null });
  if (stored === null) await write(account);
  const client = new AcmeClient({ directoryUrl, accountKey: account.key, accountUrl: account.url, signal, ca });
  if (account.url === null) await write({ key: account.key, url: await client.openAccount(contact) });
  return client;
}

/** @returns the certificate with the issuer's renewal time, or unchanged when it is too early to ask */
async function askWhenToRenew(client: AcmeClient, stored: StoredCertificate, now: Date): Promise<StoredCertificate> {
  if (Date.parse(stored.askAgainAt) > now.getTime()) return stored;
  const said = await nextRenewalInfo(client, stored.cert, draw()).catch(() => null);
  const askAgainAt = new Date(now.getTime() + (said?.askAgainMs ?? 6 * HOUR_MS)).toISOString();
  return { ...stored, askAgainAt, renewAt: said?.renewAt.toISOString() ?? stored.renewAt };
}

function withTimes(pair: CertificatePair, now: Date): Omit<StoredCertificate, "directoryUrl"> {
  const { validFromDate: notBefore, validToDate: notAfter } = new X509Certificate(pair.cert);
  const renewAt = renewalTime({ notBefore, notAfter }, draw()).toISOString();
  return { ...pair, renewAt, askAgainAt: new Date(now.getTime() + HOUR_MS).toISOString() };
}

const draw = () => randomInt(2 ** 32) / 2 ** 32;
