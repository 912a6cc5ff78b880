/** `KAUKE_DELIVERY=relay`: one host gets all mail; a password only over verified TLS or to a loopback address. */
import { isIP, isIPv4 } from "node:net";
import { AppError } from "../../core/app-error.ts";
import type { DeliveryOutcome, FailureCode } from "../../core/delivery/delivery.ts";
import { classifyLoss, classifyReply, deferred, isPositive, type SmtpStage } from "../classify-reply.ts";
import type { Resolver } from "../dns/resolver.ts";
import type { SmtpPoolOptions } from "./smtp-client/pool-host.ts";
import { ChannelError } from "./smtp-client/smtp-channel.ts";
import { openSmtp, type SmtpClientOptions, type SmtpPeer } from "./smtp-client/smtp-client.ts";
import { SmtpPool } from "./smtp-client/smtp-pool.ts";
import { type MailTransport, outcomeOnly } from "./transport.ts";

const ADDRESSES_MAX = 2;

export interface RelayAddresses {
  addresses: readonly string[];
  failure: "dns_failed" | "unreachable";
}

export type FindAddresses = (host: string) => Promise<RelayAddresses>;

export interface RelayTransportOptions extends SmtpPoolOptions {
  url: URL;
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

/** Uses the servers of `KAUKE_DNS_SERVERS` only. Literal addresses and localhost need no DNS. */
export function askServers(resolver: Pick<Resolver, "resolve4" | "resolve6">): FindAddresses {
  return async (host) => {
    if (isIP(host) !== 0 || host === "localhost") return askSystem(host);
    const name = host.replace(/\.$/, "");
    const [four, six] = await Promise.all([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = [four, six].flatMap((found) => (found.kind === "found" ? found.records : []));
    const isFailed = four.kind === "failed" || six.kind === "failed";
    return { addresses, failure: isFailed ? "dns_failed" : "unreachable" };
  };
}

export const askSystem: FindAddresses = async (host) => ({ addresses: [host], failure: "unreachable" });

/** @param url e.g. `smtp://user:p%40ss@relay.example.org:587`; default port 25, with a login 587 @throws AppError */
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

export type RelayState =
  | { kind: "ready"; replyCode: number }
  /** @property replyCode `null` without a connection, or without a login mechanism that we support */
  | { kind: "failed"; stage: SmtpStage | "connect"; code: FailureCode; replyCode: number | null };

export interface RelayProbe extends SmtpClientOptions {
  url: URL;
  findAddresses: FindAddresses;
  from: string;
}

const STEP_MS = 3000;
/** Milliseconds; the operator's command waits ten seconds. */
const PROBE_MS = 8000;
const timeouts = { connectMs: STEP_MS, greetingMs: STEP_MS, commandMs: STEP_MS, tlsMs: STEP_MS };

/** Login, MAIL, no recipient. Never throws because of what the relay does. */
export async function probeRelay({ url, findAddresses, from, ...options }: RelayProbe): Promise<RelayState> {
  const signal = AbortSignal.timeout(PROBE_MS);
  const peer = relayPeer(url);
  const found = await findAddresses(peer.host);
  const [host] = found.addresses;
  if (host === undefined) return { kind: "failed", stage: "connect", code: found.failure, replyCode: null };
  const opened = await openSmtp({ ...peer, host }, { ...options, timeouts }, signal);
  if (opened.kind === "failed") {
    const code = opened.outcome.kind === "taken" ? "unreachable" : opened.outcome.failure.code;
    return { kind: "failed", stage: opened.stage ?? "connect", code, replyCode: opened.replyCode };
  }
  const { connection } = opened;
  try {
    const reply = await connection.probe(from);
    if (isPositive(reply, "mail")) return { kind: "ready", replyCode: reply.code };
    const outcome = classifyReply(reply, "mail");
    const code = outcome.kind === "taken" ? "try_later" : outcome.failure.code;
    return { kind: "failed", stage: "mail", code, replyCode: reply.code };
  } catch (thrown) {
    if (!(thrown instanceof ChannelError)) throw thrown;
    return { kind: "failed", stage: "mail", code: "connection_lost", replyCode: null };
  } finally {
    connection.quit();
  }
}
