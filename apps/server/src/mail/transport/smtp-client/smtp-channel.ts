/** One SMTP socket in lines and bytes. Every failure is a `ChannelError` without the platform's message. */

import { connect, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import { bounds } from "../../../limits/table.ts";
import { type LossReason, type PeerReply, ReplyReader } from "../../classify-reply.ts";

export class ChannelError extends Error {
  override name = "ChannelError";
  readonly reason: LossReason;
  constructor(reason: LossReason) {
    super(reason);
    this.reason = reason;
  }
}

export interface ChannelTarget {
  host: string;
  port: number;
  /** For TLS from the first byte; `null` for a plain connection. */
  tls: ConnectionOptions | null;
}

interface Wait {
  done: (value?: PeerReply) => void;
  failed: (error: ChannelError) => void;
  endsAt: number;
  late: LossReason;
  kind: "open" | "reply" | "drain";
}

export interface BodyTimes {
  stallMs: number;
  totalMs: number;
}

/** Bytes written before waiting for the socket, so that a slow peer costs no memory beyond the message. */
const CHUNK_BYTES = 256 * 1024;
const FINAL_DOT = Buffer.from(".\r\n");
const NOTHING = Buffer.alloc(0);

export class SmtpChannel {
  #socket: Socket;
  #reader = new ReplyReader();
  #replies: PeerReply[] = [];
  #wait: Wait | null = null;
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  #lost: LossReason | null = null;
  #isSecure = false;
  #unlisten: () => void = () => {};
  /** Set while idle: anything the peer sends or does ends the channel and calls this. */
  onIdleLoss: (() => void) | null = null;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  static async open(target: ChannelTarget, timeoutMs: number, signal?: AbortSignal): Promise<SmtpChannel> {
    const { host, port } = target;
    const channel = new SmtpChannel(connect({ host, port, noDelay: true }));
    const release = channel.abortWith(signal);
    try {
      await channel.#connected(timeoutMs);
      if (target.tls !== null) await channel.secure(target.tls, timeoutMs);
      return channel;
    } finally {
      release();
    }
  }

  get isAlive(): boolean {
    return this.#lost === null;
  }

  get isSecure(): boolean {
    return this.#isSecure;
  }

  abortWith(signal: AbortSignal | undefined): () => void {
    if (signal === undefined) return () => {};
    const abort = () => this.fail("aborted");
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort);
    return () => signal.removeEventListener("abort", abort);
  }

  write(text: string): void {
    this.#socket.write(text);
  }

  async reply(timeoutMs: number): Promise<PeerReply> {
    return this.#replies.shift() ?? ((await this.#waitFor("reply", timeoutMs)) as PeerReply);
  }

  /**
   * The system has all bytes of a large body before the final dot, so a peer that stops reading can't have the message.
   * @param onDot called before the dot, with whether the system has all bytes before it
   * @returns false when the peer replied early: the rest was not sent @throws ChannelError `timed_out`
   */
  async writeBody(parts: readonly Buffer[], times: BodyTimes, onDot: (isPassedOn: boolean) => void): Promise<boolean> {
    const endsAt = performance.now() + times.totalMs;
    const limitMs = () => Math.min(times.stallMs, Math.max(endsAt - performance.now(), 1));
    let corked = 0;
    let isLarge = false;
    this.#socket.cork();
    for (const part of parts) {
      for (let at = 0; at < part.length; at += CHUNK_BYTES) {
        if (corked >= CHUNK_BYTES) {
          this.#socket.uncork();
          await this.#drained(limitMs());
          if (this.#replies.length > 0) return false;
          this.#socket.cork();
          corked = 0;
          isLarge = true;
        }
        const piece = part.length <= CHUNK_BYTES ? part : part.subarray(at, at + CHUNK_BYTES);
        this.#socket.write(piece);
        corked += piece.length;
      }
    }
    if (isLarge) {
      this.#socket.uncork();
      await this.#flushed(limitMs);
      if (this.#replies.length > 0) return false;
      this.#socket.cork();
    }
    onDot(isLarge);
    this.#socket.write(FINAL_DOT);
    this.#socket.uncork();
    return true;
  }

  /** Refuses bytes before the handshake, a command injection (CVE-2011-0411). @throws ChannelError `tls_failed` */
  async secure(options: ConnectionOptions, timeoutMs: number): Promise<void> {
    if (this.#reader.isMidway || this.#replies.length > 0) this.fail("tls_failed");
    this.#unlisten();
    const plain = this.#socket;
    const secured = connectTls({ ...options, socket: plain });
    this.#socket = secured;
    const failed = () => this.fail("tls_failed");
    plain.on("error", failed);
    secured.on("error", failed).on("close", failed);
    secured.once("secureConnect", () => {
      secured.off("close", failed).off("error", failed);
      this.#isSecure = true;
      this.#listen(secured);
      this.#settle("open");
    });
    await this.#waitFor("open", timeoutMs, "tls_failed");
  }

  quit(graceMs: number): void {
    if (this.#lost !== null) return;
    this.#lost = "connection_lost";
    clearTimeout(this.#timer);
    const socket = this.#socket;
    const timer = setTimeout(() => socket.destroy(), graceMs);
    socket.once("close", () => clearTimeout(timer));
    socket.end("QUIT\r\n");
  }

  fail(reason: LossReason): void {
    if (this.#lost !== null) return;
    this.#lost = reason;
    clearTimeout(this.#timer);
    this.#socket.destroy();
    const wait = this.#wait;
    if (wait !== null) this.#clear(wait).failed(new ChannelError(reason));
    this.onIdleLoss?.();
  }

  async #connected(timeoutMs: number): Promise<void> {
    const socket = this.#socket;
    const failed = () => this.fail("unreachable");
    socket.on("error", failed);
    socket.once("connect", () => {
      socket.off("error", failed);
      this.#listen(socket);
      this.#settle("open");
    });
    await this.#waitFor("open", timeoutMs);
  }

  #listen(socket: Socket): void {
    const lost = () => this.fail("connection_lost");
    const read = (chunk: Buffer) => this.#read(chunk);
    const drained = () => this.#settle("drain");
    socket.on("data", read).on("drain", drained).on("error", lost).on("end", lost).on("close", lost);
    this.#unlisten = () => {
      socket.off("data", read).off("drain", drained).off("error", lost).off("end", lost).off("close", lost);
    };
  }

  #read(chunk: Buffer): void {
    if (this.#lost !== null) return;
    const replies = this.#reader.push(chunk);
    if (replies === null || linesOf(this.#replies) + linesOf(replies) > bounds.unreadReplies.lines)
      return this.fail("bad_reply");
    if (this.onIdleLoss !== null) return this.fail("connection_lost");
    this.#replies.push(...replies);
    if (replies.length === 0) return;
    if (this.#wait?.kind === "reply") this.#settle("reply", this.#replies.shift());
    // A reply in the middle of a body ends the wait for the socket: the rest is not sent.
    else this.#settle("drain");
  }

  async #drained(stallMs: number): Promise<void> {
    if (this.#socket.writableNeedDrain && this.#replies.length === 0) await this.#waitFor("drain", stallMs);
    else if (this.#lost !== null) throw new ChannelError(this.#lost);
  }

  async #flushed(limitMs: () => number): Promise<void> {
    const isDone = () => this.#socket.writableLength === 0 || this.#replies.length > 0;
    while (!isDone()) {
      this.#socket.write(NOTHING, () => this.#settle("drain"));
      await this.#waitFor("drain", limitMs());
    }
    if (this.#lost !== null) throw new ChannelError(this.#lost);
  }

  #waitFor(kind: Wait["kind"], timeoutMs: number, late: LossReason = "timed_out"): Promise<PeerReply | undefined> {
    return new Promise((done, failed) => {
      if (this.#lost !== null) return failed(new ChannelError(this.#lost));
      const endsAt = performance.now() + timeoutMs;
      this.#wait = { kind, done, failed, endsAt, late };
      if (endsAt < this.#timerAt) this.#setTimer(endsAt);
    });
  }

  /** One timer serves many waits: each message has several of minutes each, and nearly none of them ends late. */
  #setTimer(at: number): void {
    clearTimeout(this.#timer);
    this.#timerAt = at;
    this.#timer = setTimeout(() => this.#checkTime(), Math.max(at - performance.now(), 1)).unref();
  }

  #checkTime(): void {
    this.#timerAt = Number.POSITIVE_INFINITY;
    if (this.#wait === null) return;
    if (performance.now() < this.#wait.endsAt) this.#setTimer(this.#wait.endsAt);
    else this.fail(this.#wait.late);
  }

  #settle(kind: Wait["kind"], value?: PeerReply): void {
    const wait = this.#wait;
    if (wait?.kind === kind) this.#clear(wait).done(value);
  }

  #clear(wait: Wait): Wait {
    this.#wait = null;
    return wait;
  }
}

const linesOf = (replies: readonly PeerReply[]): number => replies.reduce((sum, { lines }) => sum + lines.length, 0);
