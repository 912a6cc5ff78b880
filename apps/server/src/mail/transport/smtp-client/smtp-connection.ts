/** A connection after its set-up: sends messages one after another, the envelope in a single write (RFC 2920). */

import { domainToASCII } from "node:url";
import { splitAddress } from "@kauke/mail-rfc";
import type { DeliveryOutcome } from "../../../core/delivery/delivery.ts";
import { bounds } from "../../../limits/table.ts";
import {
  classifyLoss,
  classifyReply,
  isHostBusy,
  isMailboxMissing,
  isPositive,
  type LossReason,
  type PeerReply,
  refused,
  type SmtpStage,
} from "../../classify-reply.ts";
import type { OngoingAttempt, OutgoingMail } from "../transport.ts";
import { ChannelError, type SmtpChannel } from "./smtp-channel.ts";

/** At least those of RFC 5321 §4.5.3.2.1 to .6, which does not cover connecting and TLS. */
export const smtpTimeouts = {
  connectMs: 30_000,
  greetingMs: 300_000,
  /** For the reply to every command except DATA. */
  commandMs: 300_000,
  tlsMs: 60_000,
  dataMs: 120_000,
  /** Time in which the peer takes no byte of the body. */
  stallMs: 180_000,
  /** For the whole body, plus its size at `MIN_BYTES_PER_SECOND`: cuts off peers that read very slowly. */
  bodyMs: 180_000,
  finalMs: bounds.attempt.replyMs,
};
export type SmtpTimeouts = typeof smtpTimeouts;

export const QUIT_GRACE_MS = 2000;
export const MIN_BYTES_PER_SECOND = 65_536;

export interface HostReport {
  outcome: DeliveryOutcome;
  isMailboxMissing: boolean;
  /** A 4xx reply means that the whole host is busy, not only the mailbox. */
  isBusy: boolean;
  /** The connection was lost before the peer asked for the body: the message may be sent over another one. */
  isUntouched: boolean;
  /** The connection was lost after the final dot: the peer may have the message, so no other host is tried now. */
  isUncertain: boolean;
}

const envelopeStages = ["mail", "rcpt", "data"] as const satisfies readonly SmtpStage[];
const REPLIES_AFTER: Partial<Record<SmtpStage, number>> = { mail: 2, rcpt: 1 };

export class SmtpConnection {
  readonly #channel: SmtpChannel;
  readonly #peer: SmtpExtensions;
  readonly #times: SmtpTimeouts;
  messages = 0;
  #needsReset = false;
  #isAsked = false;
  #isBusy = false;
  #isMailboxMissing = false;
  isDotSent = false;
  #due = 0;

  constructor(channel: SmtpChannel, peer: SmtpExtensions, times: SmtpTimeouts) {
    this.#channel = channel;
    this.#peer = peer;
    this.#times = times;
  }

  get isUsable(): boolean {
    return this.#channel.isAlive;
  }

  get isSecure(): boolean {
    return this.#channel.isSecure;
  }

  markIdle(onLoss: () => void): void {
    this.#channel.onIdleLoss = onLoss;
  }

  quit(): void {
    this.#channel.onIdleLoss = null;
    this.#channel.quit(QUIT_GRACE_MS);
  }

  destroy(reason: LossReason): void {
    this.#channel.fail(reason);
  }

  /** Never throws because of what the peer does. Check `isUsable` before the next message. */
  async send(mail: OutgoingMail, attempt: OngoingAttempt): Promise<HostReport> {
    this.#channel.onIdleLoss = null;
    [this.#isAsked, this.#isBusy, this.#isMailboxMissing, this.isDotSent] = [false, false, false, false];
    this.messages++;
    const release = this.#channel.abortWith(attempt.signal);
    try {
      const outcome = await this.#transaction(mail, attempt);
      const isUntouched = outcome.kind === "deferred" && !this.isUsable && !this.#isAsked;
      return this.#report(outcome, { isUntouched, isUncertain: false });
    } catch (error) {
      if (!(error instanceof ChannelError)) throw error;
      const isUntouched = error.reason === "connection_lost" && !this.#isAsked;
      return this.#report(classifyLoss(error.reason), { isUntouched, isUncertain: this.isDotSent });
    } finally {
      release();
    }
  }

  /** Whether the peer accepts mail from this sender. @throws ChannelError */
  async probe(from: string): Promise<PeerReply> {
    const reply = await this.#command(`MAIL FROM:<${from}>\r\n`, this.#times.commandMs);
    if (isPositive(reply, "mail")) await this.#command("RSET\r\n", this.#times.commandMs);
    return reply;
  }

  #report(outcome: DeliveryOutcome, loss: Pick<HostReport, "isUntouched" | "isUncertain">): HostReport {
    return { outcome, isMailboxMissing: this.#isMailboxMissing, isBusy: this.#isBusy, ...loss };
  }

  async #transaction(mail: OutgoingMail, attempt: OngoingAttempt): Promise<DeliveryOutcome> {
    const envelope = envelopeCommands(mail, this.#peer);
    if (envelope.kind === "impossible") return envelope.outcome;
    const commands = [envelope.mail, envelope.rcpt, "DATA\r\n"];
    const refusal = this.#peer.pipelining ? await this.#pipelined(commands) : await this.#inTurn(commands);
    return refusal ?? this.#body(mail, attempt);
  }

  /** @returns the first refusal of the envelope; `null` when the peer waits for the body */
  async #pipelined(commands: readonly string[]): Promise<DeliveryOutcome | null> {
    const { commandMs, dataMs } = this.#times;
    const resets = this.#needsReset;
    this.#needsReset = false;
    this.#channel.write((resets ? "RSET\r\n" : "") + commands.join(""));
    if (resets) await this.#channel.reply(commandMs);
    for (const stage of envelopeStages) {
      const refusal = this.#judge(await this.#channel.reply(stage === "data" ? dataMs : commandMs), stage);
      if (refusal === null) continue;
      await this.#catchUp();
      return refusal;
    }
    return null;
  }

  async #catchUp(): Promise<void> {
    try {
      for (; this.#due > 0 && this.isUsable; this.#due--) {
        const reply = await this.#channel.reply(this.#times.dataMs);
        // A peer that asks for a body although it refused the recipient (RFC 2920 §3.1) gets none.
        if (reply.code === 354) this.#channel.fail("connection_lost");
      }
    } catch (error) {
      if (!(error instanceof ChannelError)) throw error;
    }
  }

  async #inTurn(commands: readonly string[]): Promise<DeliveryOutcome | null> {
    if (this.#needsReset) await this.#command("RSET\r\n", this.#times.commandMs);
    this.#needsReset = false;
    for (const [index, stage] of envelopeStages.entries()) {
      const timeoutMs = stage === "data" ? this.#times.dataMs : this.#times.commandMs;
      const refusal = this.#judge(await this.#command(commands[index] ?? "", timeoutMs), stage);
      if (refusal !== null) return refusal;
    }
    return null;
  }

  async #body(mail: OutgoingMail, attempt: OngoingAttempt): Promise<DeliveryOutcome> {
    const isWhole = await this.#writeBody(mail, attempt);
    const reply = await this.#channel.reply(this.#times.finalMs);
    const outcome = classifyReply(reply, "body");
    this.#noteBusy(reply, "body");
    // After part of a body both ends are out of step, whatever the reply says.
    if (!isWhole) this.#channel.fail("connection_lost");
    else if (reply.code === 421) this.#channel.quit(QUIT_GRACE_MS);
    return isWhole || outcome.kind !== "taken" ? outcome : classifyLoss("bad_reply");
  }

  /** A function of its own, so that nothing refers to the bytes during the ten minutes that the reply may take. */
  #writeBody(mail: OutgoingMail, attempt: OngoingAttempt): Promise<boolean> {
    const parts = mail.wire();
    if (parts === null) {
      this.#channel.fail("aborted");
      throw new ChannelError("aborted");
    }
    const { stallMs, bodyMs } = this.#times;
    const totalMs = bodyMs + (mail.sizeBytes / MIN_BYTES_PER_SECOND) * 1000;
    return this.#channel.writeBody(parts, { stallMs, totalMs }, (isPassedOn) => {
      this.isDotSent = true;
      attempt.sendEnd(isPassedOn);
    });
  }

  #command(line: string, timeoutMs: number): Promise<PeerReply> {
    this.#channel.write(line);
    return this.#channel.reply(timeoutMs);
  }

  #noteBusy(reply: PeerReply, stage: SmtpStage): void {
    if (isHostBusy(reply, stage)) this.#isBusy = true;
  }

  /** @returns the outcome that ends the transaction; `null` when it may continue */
  #judge(reply: PeerReply, stage: SmtpStage): DeliveryOutcome | null {
    this.#due = REPLIES_AFTER[stage] ?? 0;
    if (stage === "data" && reply.code === 354) this.#isAsked = true;
    if (isPositive(reply, stage)) return null;
    this.#needsReset = true;
    this.#noteBusy(reply, stage);
    if (stage === "rcpt" && isMailboxMissing(reply)) this.#isMailboxMissing = true;
    // The peer closes the connection after 421 (RFC 5321 §3.8).
    if (reply.code === 421) this.#channel.quit(QUIT_GRACE_MS);
    return classifyReply(reply, stage);
  }
}

/** What a peer offers in its reply to EHLO (RFC 5321 §4.1.1, 1870, 6152, 6531). */
export interface SmtpExtensions {
  pipelining: boolean;
  eightBitMime: boolean;
  smtpUtf8: boolean;
  startTls: boolean;
  size: boolean;
  /** `null` when the peer gives no limit, or 0, which means the same. */
  maxSizeBytes: number | null;
  authMechanisms: ReadonlySet<string>;
}

export const noExtensions: SmtpExtensions = {
  pipelining: false,
  eightBitMime: false,
  smtpUtf8: false,
  startTls: false,
  size: false,
  maxSizeBytes: null,
  authMechanisms: new Set(),
};

export function readExtensions(ehlo: PeerReply): SmtpExtensions {
  const offered = new Map<string, string[]>();
  for (const line of ehlo.lines.slice(1)) {
    // Servers older than RFC 4954 write "AUTH=LOGIN".
    const [keyword = "", ...params] = line.toUpperCase().split(/[ =]+/);
    offered.set(keyword, params);
  }
  const size = Number(offered.get("SIZE")?.[0]);
  return {
    pipelining: offered.has("PIPELINING"),
    eightBitMime: offered.has("8BITMIME"),
    smtpUtf8: offered.has("SMTPUTF8"),
    startTls: offered.has("STARTTLS"),
    size: offered.has("SIZE"),
    maxSizeBytes: Number.isSafeInteger(size) && size > 0 ? size : null,
    authMechanisms: new Set(offered.get("AUTH")),
  };
}

type EnvelopeCommands =
  | { kind: "commands"; mail: string; rcpt: string }
  | { kind: "impossible"; outcome: DeliveryOutcome };

// Matches no address that could end the path or the line early; a quoted local part may contain spaces and brackets.
const PATH = /^(?:"(?:[^"\\\p{Cc}]|\\[^\p{Cc}])*"|[^\s"<>\p{Cc}]+)@[^\s"<>\p{Cc}]+$/u;
const NON_ASCII = /[^\u{0}-\u{7f}]/u;

/** Passes 8-bit bytes to a peer without 8BITMIME: re-encoding a foreign body would break its signatures. */
export function envelopeCommands(mail: OutgoingMail, peer: SmtpExtensions): EnvelopeCommands {
  if (peer.maxSizeBytes !== null && mail.sizeBytes > peer.maxSizeBytes) return impossible("too_large", "5.3.4");
  if (!PATH.test(mail.rcptTo)) return impossible("mailbox_unknown", "5.1.3");
  if (mail.envelopeFrom !== "" && !PATH.test(mail.envelopeFrom)) return impossible("refused_by_policy", "5.1.7");
  const from = spell(mail.envelopeFrom, peer);
  const to = spell(mail.rcptTo, peer);
  if (from === null || to === null) return impossible("not_supported", "5.6.7");
  const isUtf8 = peer.smtpUtf8 && (mail.smtpUtf8 || NON_ASCII.test(from) || NON_ASCII.test(to));
  const params =
    (peer.size ? ` SIZE=${mail.sizeBytes}` : "") +
    (peer.eightBitMime && (mail.eightBit || isUtf8) ? " BODY=8BITMIME" : "") +
    (isUtf8 ? " SMTPUTF8" : "");
  return { kind: "commands", mail: `MAIL FROM:<${from}>${params}\r\n`, rcpt: `RCPT TO:<${to}>\r\n` };
}

function impossible(...[code, status]: Parameters<typeof refused>): EnvelopeCommands {
  return { kind: "impossible", outcome: refused(code, status) };
}

/** With the domain in A-labels if needed. @returns `null` when the peer can't parse the address even so */
function spell(address: string, peer: SmtpExtensions): string | null {
  if (peer.smtpUtf8 || !NON_ASCII.test(address)) return address;
  const { local, domain } = splitAddress(address);
  const ascii = domainToASCII(domain);
  return NON_ASCII.test(local) || ascii === "" ? null : `${local}@${ascii}`;
}
