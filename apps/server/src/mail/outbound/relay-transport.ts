/**
 * `KAUKE_DELIVERY=relay`: everything to one host. `smtps:` is TLS from the first byte; `smtp:` uses STARTTLS when offered,
 * and must have it before a password leaves this machine. Where TLS is a must the certificate must be good.
 */
import { isIPv4 } from "node:net";
import { AppError } from "../../core/app-error.ts";
import type { SmtpPeer } from "./smtp-client.ts";
import { SmtpPool, type SmtpPoolOptions } from "./smtp-pool.ts";
import type { MailTransport } from "./transport.ts";

export interface RelayTransportOptions extends SmtpPoolOptions {
  url: URL;
}

export function createRelayTransport({ url, ...poolOptions }: RelayTransportOptions): MailTransport {
  const peer = relayPeer(url);
  const pool = new SmtpPool(poolOptions);
  return {
    send: async (mail, signal) => (await pool.send(peer, mail, signal)).outcome,
    close: (graceMs) => pool.close(graceMs),
  };
}

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
