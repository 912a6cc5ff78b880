/** Probes whether the relay accepts our mail: connects, logs in, and begins a transaction without a recipient. */
import type { FailureCode } from "../../core/delivery/delivery.ts";
import { classifyReply, isPositive, type SmtpStage } from "../classify-reply.ts";
import { type FindAddresses, relayPeer } from "./relay-transport.ts";
import { ChannelError } from "./smtp-client/smtp-channel.ts";
import { openSmtp, type SmtpClientOptions } from "./smtp-client/smtp-client.ts";

export type RelayState =
  | { kind: "ready"; replyCode: number }
  /**
   * @property replyCode code of the relay's reply; `null` without a connection, or without a login mechanism that we
   * support
   */
  | { kind: "failed"; stage: SmtpStage | "connect"; code: FailureCode; replyCode: number | null };

export interface RelayProbe extends SmtpClientOptions {
  url: URL;
  findAddresses: FindAddresses;
  /** Envelope sender of the probe. */
  from: string;
}

const STEP_MS = 3000;
/** Milliseconds for the whole probe; below the ten seconds that the operator's command waits for an answer. */
const PROBE_MS = 8000;
const timeouts = { connectMs: STEP_MS, greetingMs: STEP_MS, commandMs: STEP_MS, tlsMs: STEP_MS };

/** Probes the relay once. Never throws because of what the relay does. */
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
