/** One certificate, from what is stored of it to a new one: the account, the names that count, the order, its failure. */
import { generateKeyPairSync, randomInt, X509Certificate } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { type CertificateRecords, orderPauseMs, renewalTime, type WantedCertificate } from "../../core/certificate.ts";
import type { Clock, Logger } from "../../runtime/ports.ts";
import type { CertificatePair } from "../self-signed.ts";
import { AcmeClient, AcmeError } from "./acme-client.ts";
import { type ChallengeType, type OpenOrder, orderCertificate, type ShownChallenge } from "./order.ts";
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
  /** Where the issuer may write to; `null`: nowhere. */
  contact: string | null;
  records: CertificateRecords;
  /** Whether DNS has an address of a name; one without is not ordered. */
  hasAddress(host: string): Promise<boolean>;
  clock: Clock;
  logger: Logger;
  /** Whether challenges can be shown at port 443 too, for names whose port 80 leads elsewhere. */
  hasHttps: boolean;
  /** PEM of certificates to trust in place of Node's, for an issuer of one's own. */
  ca?: string | undefined;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** An order is given up after this time, and continued at the next look. */
export const ORDER_MS = 5 * 60_000;
/** A certificate with less time left is replaced even by one with fewer names. */
const SPARE_MS = 7 * DAY_MS;

/** Renews if that is due; else asks the issuer when it will be. Failures are stored and logged. */
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
    // Not earlier, so that a process that is killed before finds the order again.
    await records.delete("order", label);
    const notBefore = new Date(leftOut.length === 0 ? 0 : now.getTime() + DAY_MS).toISOString();
    await writeState(records, label, { failures: 0, notBefore, failure: null, leftOut });
    if (pair !== null) logger.info("certificate_issued", { count: hosts.length - leftOut.length });
  } catch (thrown) {
    // A stop is no failure: the next start continues the order.
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
  // An order that the issuer may still finish is continued.
  if (code !== "unreachable" && code !== "rate_limited") await records.delete("order", label);
  await writeState(records, label, { failures, notBefore, failure: code, leftOut });
  logger.warn("certificate_order_failed", { code, count: failures });
}

/** Names have no address in DNS, and no certificate is to be ordered without them. */
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
  /** The operator has just seen the names' records: the issuer judges, whatever a cache of DNS says. */
  isAsked: boolean;
  signal: AbortSignal;
}

/**
 * Leaves out names that have no address or that the issuer can't prove, so that the others get their certificate; but
 * not those of the present one while it has time left.
 * @returns `pair: null` when the present certificate already has all names that can be proven
 */
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
  // A process may have died between the end of an order and its deletion.
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
      // Until every process has read it.
      await pause(2 * CHALLENGES_READ_EVERY_MS);
    },
  };
  return await orderCertificate(client, { hosts, open, signal }, ports).catch((thrown: unknown) => {
    // An order that expired, or of a former account: the issuer does not know it any more.
    const isForgotten = thrown instanceof AcmeError && thrown.code === "refused" && thrown.hosts.length === 0;
    if (open !== null && isForgotten) return orderCertificate(client, { hosts, open: null, signal }, ports);
    throw thrown;
  });
}

interface StoredAccount {
  key: string;
  url: string | null;
}

/** The key is stored before the issuer hears of it, so that a killed process makes no second account. */
async function openAccount(options: RenewalOptions, signal: AbortSignal): Promise<AcmeClient> {
  const { records, directoryUrl, contact, ca } = options;
  const stored = (await records.read("account", directoryUrl)) as StoredAccount | null;
  const account = stored ?? { key: newKey(), url: null };
  const write = (value: StoredAccount) =>
    records.write({ kind: "account", name: directoryUrl, value, expiresAt: null });
  if (stored === null) await write(account);
  const client = new AcmeClient({ directoryUrl, accountKey: account.key, accountUrl: account.url, signal, ca });
  if (account.url === null) await write({ key: account.key, url: await client.openAccount(contact) });
  return client;
}

function newKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

/** @returns the certificate with what the issuer says, or unchanged when it is too early to ask */
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
