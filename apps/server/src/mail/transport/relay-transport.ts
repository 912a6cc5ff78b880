/**
 * `KAUKE_DELIVERY=relay`: everything to one host. `smtps:` is TLS from the first byte; `smtp:` uses STARTTLS when offered,
 * and must have it before a password leaves this machine. Where TLS is a must the certificate must be good.
 */
import { isIP, isIPv4 } from "node:net";
import { AppError } from "../../core/app-error.ts";
import type { DeliveryOutcome } from "../../core/delivery/delivery.ts";
import { classifyLoss, deferred } from "../classify-reply.ts";
import type { Resolver } from "../resolver.ts";
import type { SmtpPeer } from "./smtp-client/smtp-client.ts";
import { SmtpPool, type SmtpPoolOptions } from "./smtp-client/smtp-pool.ts";
import type { MailTransport } from "./transport.ts";

/** All mail shares this one host: parties whose mail is slow must not take every connection to it. */
const EXTRA_CONNECTIONS = 20;

/** Addresses of the relay at most that one message is tried at. */
const ADDRESSES_MAX = 2;

/** @property failure why there are none */
export interface RelayAddresses {
  addresses: readonly string[];
  failure: "dns_failed" | "unreachable";
}

export type FindAddresses = (host: string) => Promise<RelayAddresses>;

export interface RelayTransportOptions extends SmtpPoolOptions {
  url: URL;
  /** The system's look-up, which knows the hosts file, unless given. */
  findAddresses?: FindAddresses;
}

export function createRelayTransport({
  url,
  findAddresses = askSystem,
  ...poolOptions
}: RelayTransportOptions): MailTransport {
  const peer = relayPeer(url);
  const pool = new SmtpPool({ extraConnections: EXTRA_CONNECTIONS, ...poolOptions });
  return {
    async send(mail, signal) {
      const { addresses, failure } = await findAddresses(peer.host);
      let first: DeliveryOutcome | null = null;
      for (const host of addresses.slice(0, ADDRESSES_MAX)) {
        const { outcome, isUntouched } = await pool.send({ ...peer, host }, mail, signal);
        const isOver = outcome.kind !== "deferred" || !isUntouched || signal?.aborted;
        if (isOver) return outcome;
        first ??= outcome;
      }
      if (first !== null) return first;
      const outcome = failure === "dns_failed" ? deferred("dns_failed", "4.4.3") : classifyLoss("unreachable");
      poolOptions.onOpenFailed?.({ kind: "failed", outcome, replyCode: null });
      return outcome;
    },
    close: (graceMs) => pool.close(graceMs),
  };
}

/** `KAUKE_DNS_SERVERS` is set: they are asked, and nobody else. Addresses and the name of this machine need no DNS. */
export function askServers(resolver: Pick<Resolver, "resolve4" | "resolve6">): FindAddresses {
  return async (host) => {
    if (isIP(host) !== 0 || host === "localhost") return askSystem(host);
    const [four, six] = await Promise.all([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = [four, six].flatMap((it) => (it.kind === "found" ? it.records : []));
    const isFailed = four.kind === "failed" || six.kind === "failed";
    return { addresses, failure: isFailed ? "dns_failed" : "unreachable" };
  };
}

/** The name itself: connecting to it asks the system. */
export const askSystem: FindAddresses = async (host) => ({ addresses: [host], failure: "unreachable" });

/**
 * @param url e.g. `smtp://user:p%40ss@relay.example.org:587`, `smtps://relay.example.org` (ports 25, 587 with a login, 465)
 * @throws AppError `invalid` for another scheme, no host, or a login that isn't percent-encoded
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
