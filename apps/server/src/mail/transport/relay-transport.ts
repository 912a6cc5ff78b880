/**
 * `KAUKE_DELIVERY=relay`: sends all mail to one host. `smtps:` uses TLS from the first byte; `smtp:` uses STARTTLS when
 * offered, and requires it before a password is sent. Where TLS is required the certificate must be valid. A loopback
 * host needs neither STARTTLS nor a valid certificate.
 */
import { isIP, isIPv4 } from "node:net";
import { AppError } from "../../core/app-error.ts";
import type { DeliveryOutcome } from "../../core/delivery/delivery.ts";
import { classifyLoss, deferred } from "../classify-reply.ts";
import type { Resolver } from "../dns/resolver.ts";
import type { SmtpPoolOptions } from "./smtp-client/pool-host.ts";
import type { SmtpPeer } from "./smtp-client/smtp-client.ts";
import { SmtpPool } from "./smtp-client/smtp-pool.ts";
import { type MailTransport, outcomeOnly } from "./transport.ts";

/** Maximum addresses of the relay tried for one message. */
const ADDRESSES_MAX = 2;

/** Addresses of the relay's host. @property failure what to report when no address can be used */
export interface RelayAddresses {
  addresses: readonly string[];
  failure: "dns_failed" | "unreachable";
}

export type FindAddresses = (host: string) => Promise<RelayAddresses>;

export interface RelayTransportOptions extends SmtpPoolOptions {
  url: URL;
  /** Finds the relay's addresses; by default the system's resolver, which also reads the hosts file. */
  findAddresses?: FindAddresses;
}

export function createRelayTransport({
  url,
  findAddresses = askSystem,
  ...poolOptions
}: RelayTransportOptions): MailTransport {
  const peer = relayPeer(url);
  const pool = new SmtpPool(poolOptions);
  return {
    async send(mail, attempt) {
      const { addresses, failure } = await findAddresses(peer.host);
      const busyProviders: null[] = [];
      let first: DeliveryOutcome | null = null;
      for (const host of addresses.slice(0, ADDRESSES_MAX)) {
        const { outcome, isMailboxMissing, isBusy, isUntouched } = await pool.send({ ...peer, host }, mail, attempt);
        if (isBusy) busyProviders.push(null);
        const isOver = outcome.kind !== "deferred" || !isUntouched || attempt.signal.aborted;
        if (isOver) return { outcome, isMailboxMissing, busyProviders };
        first ??= outcome;
      }
      if (first !== null) return { ...outcomeOnly(first), busyProviders };
      const outcome = failure === "dns_failed" ? deferred("dns_failed", "4.4.3") : classifyLoss("unreachable");
      poolOptions.onOpenFailed?.({ kind: "failed", outcome, replyCode: null });
      return outcomeOnly(outcome);
    },
    close: (graceMs) => pool.close(graceMs),
  };
}

/** Asks only the servers of `KAUKE_DNS_SERVERS`. Literal addresses and localhost need no DNS. */
export function askServers(resolver: Pick<Resolver, "resolve4" | "resolve6">): FindAddresses {
  return async (host) => {
    if (isIP(host) !== 0 || host === "localhost") return askSystem(host);
    const name = host.replace(/\.$/, "");
    const [four, six] = await Promise.all([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = [four, six].flatMap((it) => (it.kind === "found" ? it.records : []));
    const isFailed = four.kind === "failed" || six.kind === "failed";
    return { addresses, failure: isFailed ? "dns_failed" : "unreachable" };
  };
}

/** Returns the host name as its only address: connecting to it makes the system resolve it. */
export const askSystem: FindAddresses = async (host) => ({ addresses: [host], failure: "unreachable" });

/**
 * @param url e.g. `smtp://user:p%40ss@relay.example.org:587`, `smtps://relay.example.org` (default ports: 25, 587 with
 * a login, 465)
 * @throws AppError `invalid` for another scheme, a missing host, or a login that isn't percent-encoded
 */
export function relayPeer(url: URL): SmtpPeer {
  const name = url.hostname.replace(/^\[(.*)\]$/, "$1");
  if (!/^smtps?:$/.test(url.protocol) || name === "") throw new AppError("invalid");
  const login = url.username === "" ? null : { user: decode(url.username), password: decode(url.password) };
  const isImplicit = url.protocol === "smtps:";
  const isLocal = isLoopbackHost(name);
  const tls = isImplicit ? "implicit" : login !== null && !isLocal ? "starttls" : "opportunistic";
  return {
    host: name,
    port: url.port === "" ? (isImplicit ? 465 : login === null ? 25 : 587) : Number(url.port),
    name,
    tls,
    isVerified: tls !== "opportunistic" && !isLocal,
    login,
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new AppError("invalid");
  }
}

function isLoopbackHost(name: string): boolean {
  return name === "localhost" || name === "::1" || (isIPv4(name) && name.startsWith("127."));
}
