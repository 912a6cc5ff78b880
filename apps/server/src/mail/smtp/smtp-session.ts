/** One client session (RFC 5321). Bytes that arrive while a command is in progress are buffered (PIPELINING). */

import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { withHeaderLineEnds, withStuffedHeader } from "@kauke/mail-rfc";
import type { Submitter } from "../../core/smtp-credential.ts";
import { bounds } from "../../limits/table.ts";
import { formatReply, reply, replyFor, replyForThrow, type SmtpReply, type Verdict } from "../reply.ts";
import type { ResolvedRecipient } from "../transaction.ts";
import {
  ehloLines,
  fixedReplies,
  MailArgumentError,
  type MailFrom,
  mustAwaitReply,
  parseCommand,
  readMailFrom,
  readRcptTo,
  replies,
} from "./commands.ts";
import { type AuthReply, SessionAuth } from "./session-auth.ts";
import type { MailSession, SessionOptions, SessionTls } from "./session-handlers.ts";
import { afterReading, DataReader, type DataResult, SessionInput } from "./session-input.ts";
import { MIN_ROOM_BYTES, SessionCounts, type SessionProgress, UNREAD_BYTES_MAX } from "./session-limits.ts";

export class SmtpSession implements MailSession {
  readonly #options: SessionOptions;
  #socket: Socket;
  #secure = false;
  readonly #input = new SessionInput();
  #out = "";
  #busy = true;
  #ended = false;
  /** The client closed its sending side; it may still read, as some scripts do against RFC 5321. */
  #isHalfClosed = false;
  readonly #counts = new SessionCounts();
  #helo: string | null = null;
  #esmtp = false;
  #mailFrom: MailFrom | null = null;
  #recipients: ResolvedRecipient[] = [];
  #data: DataReader | null = null;
  readonly #auth: SessionAuth | null;
  #closeTimer: NodeJS.Timeout | undefined;
  readonly #clientAddress: string;
  readonly #clientName: Promise<string | null> | undefined;
  #since: number;
  #lastMailAt: number;

  constructor(socket: Socket, options: SessionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#secure = options.secure ?? false;
    this.#clientAddress = (socket.remoteAddress ?? "").replace(/^::ffff:(?=\d+\.)/, "");
    const { signIn, clientName } = options.handlers;
    this.#clientName = clientName?.(this.#clientAddress);
    this.#auth = signIn === undefined ? null : new SessionAuth(signIn, this.#clientAddress);
    this.#since = options.nowMs();
    this.#lastMailAt = this.#since;
    this.#listen(socket);
    afterReading(() => this.#greet());
  }

  get isIdle(): boolean {
    return !this.#busy && this.#data === null;
  }

  get progress(): SessionProgress {
    const isStranger = this.#auth !== null && this.#auth.submitter === null;
    return { isBusy: this.#busy, since: this.#since, lastMailAt: this.#lastMailAt, isStranger, data: this.#data };
  }

  /** Sends 421, so that the client tries again elsewhere or later. */
  shutdown(): void {
    this.leave(reply(421, "4.3.2", `${this.#options.mailHost} is closing, please try again later`));
  }

  leave(response: SmtpReply): void {
    if (this.#ended) return;
    this.#say(response);
    this.#end();
    this.#data?.release();
    this.#data = null;
  }

  /** Disconnects a client that sent before the greeting (RFC 5321 §4.3.1). */
  #greet(): void {
    this.#busy = false;
    if (this.#ended) return;
    if (this.#options.isClosing()) return this.shutdown();
    if (!this.#input.isEmpty) return this.leave(replies.sentTooEarly);
    this.#say(reply(220, null, `${this.#options.mailHost} ESMTP Kauke`));
    this.#flush();
    if (this.#isHalfClosed) this.#end();
  }

  #listen(socket: Socket): void {
    socket.on("data", (chunk: Buffer) => this.#take(chunk));
    socket.on("end", this.#noteEnd);
    socket.on("timeout", () => this.leave(reply(421, "4.4.2", "Waited too long")));
    socket.on("error", () => socket.destroy());
    socket.on("close", () => this.#drop());
  }

  readonly #noteEnd = (): void => {
    this.#isHalfClosed = true;
    if (!this.#busy && !this.#ended) this.#end();
  };

  #drop(): void {
    this.#ended = true;
    clearTimeout(this.#closeTimer);
    this.#data?.release();
    this.#data = null;
    this.#input.clear();
  }

  #take(chunk: Buffer): void {
    if (this.#ended) return;
    this.#input.push(chunk);
    if (!this.#busy) void this.#work();
    else if (this.#input.length > bounds.smtpSession.unprocessedBytes) this.leave(replies.sentTooMuch);
  }

  async #work(): Promise<void> {
    this.#busy = true;
    try {
      for (let step = this.#step(); step !== null; step = this.#step()) await step;
    } catch {
      // Handlers should not throw; if one does, 4xx makes the client keep its mail.
      this.#say(replyFor("internal"));
      this.#end();
    }
    this.#busy = false;
    this.#flush();
    if (!this.#ended && this.#isHalfClosed) this.#end();
  }

  #step(): Promise<void> | null {
    if (this.#ended || this.#input.isEmpty) return null;
    if (this.#data !== null) return this.#readData(this.#data);
    const taken = this.#input.takeLine();
    if (taken === null) return null;
    this.#since = this.#options.nowMs();
    if (taken === "too_long") {
      this.leave(reply(500, "5.5.2", "Line too long"));
      return null;
    }
    return this.#auth?.isPending ? this.#nextAuth(this.#auth, taken.line) : this.#command(taken.line);
  }

  async #readData(data: DataReader): Promise<void> {
    const chunk = this.#input.takeChunk();
    const read = data.push(chunk);
    if (read === null) return;
    this.#input.putBack(chunk.subarray(read.consumed));
    this.#data = null;
    const response = await this.#finishMessage(read.result);
    data.release();
    this.#say(response);
    this.#reset();
    this.#counts.noteMessage();
    this.#lastMailAt = this.#options.nowMs();
    this.#since = this.#lastMailAt;
  }

  async #finishMessage(result: DataResult): Promise<SmtpReply> {
    if (result.kind === "too_large") return replyFor("message_too_large");
    if (result.kind === "over_budget") return replyFor("memory_budget");
    const bytes = result.kind === "message" ? withHeaderLineEnds(result.bytes) : null;
    if (bytes === null) return reply(550, "5.6.11", "Lines must end in CRLF");
    // Corrected line ends can make a message longer.
    if (bytes.length > this.#options.maxMessageBytes) return replyFor("message_too_large");
    const mailFrom = this.#mailFrom as MailFrom;
    try {
      return await this.#options.handlers.receive({
        mailFrom,
        recipients: this.#recipients,
        wire: withStuffedHeader(bytes),
        helo: this.#helo ?? "",
        esmtp: this.#esmtp,
        secure: this.#secure,
        ...(this.#socket instanceof TLSSocket ? { tls: tlsOf(this.#socket) } : {}),
        clientAddress: this.#clientAddress,
        ...(this.#clientName === undefined ? {} : { clientName: this.#clientName }),
        ...(this.#auth?.submitter ? { submitter: this.#auth.submitter } : {}),
      });
    } catch (thrown) {
      return replyForThrow(thrown);
    }
  }

  async #command(line: string): Promise<void> {
    const command = parseCommand(line);
    if (command === null) return this.#fail(replies.syntaxError);
    const { verb, argument } = command;
    if (this.#options.isClosing() && verb !== "QUIT") return this.shutdown();
    if (!this.#input.isEmpty && mustAwaitReply(verb, this.#esmtp)) return this.leave(replies.sentTooEarly);
    if (verb !== "RCPT" && this.#counts.isTooManyCommands()) return this.#endWith421("Too many commands without mail");
    const fixed = fixedReplies.get(verb);
    if (fixed !== undefined) return this.#say(fixed);
    switch (verb) {
      case "EHLO":
      case "HELO":
        return this.#hello(verb === "EHLO", argument);
      case "MAIL":
        return this.#mail(argument);
      case "RCPT":
        return this.#rcpt(argument);
      case "DATA":
        return this.#startData(argument);
      case "RSET":
        this.#reset();
        return this.#say(replies.ok);
      case "QUIT":
        this.#say(replies.bye);
        return this.#end(true);
      case "STARTTLS":
        return this.#startTls(argument);
      case "AUTH":
        return this.#startAuth(argument);
      case "EXPN":
      case "BDAT":
        return this.#fail(replies.notOffered);
      default:
        return this.#fail(replies.syntaxError);
    }
  }

  #hello(esmtp: boolean, name: string): void {
    if (name === "" || name.length > 255) return this.#fail(reply(501, "5.5.4", "Host name required"));
    this.#reset();
    this.#helo = name;
    this.#esmtp = esmtp;
    const { mailHost, maxMessageBytes, upgrade } = this.#options;
    if (!esmtp) return this.#say(reply(250, null, mailHost));
    const hasStartTls = upgrade !== null && !this.#secure;
    const hasAuth = this.#auth !== null && this.#secure;
    this.#out += ehloLines({ mailHost, maxMessageBytes, hasStartTls, hasAuth });
  }

  async #startAuth(argument: string): Promise<void> {
    if (this.#auth === null) return this.#fail(replies.notOffered);
    if (this.#mailFrom !== null || this.#helo === null) return this.#fail(replies.badSequence);
    this.#sayAuth(await this.#auth.begin(argument, this.#secure));
  }

  async #nextAuth(auth: SessionAuth, line: string): Promise<void> {
    this.#sayAuth(await auth.next(line));
  }

  #sayAuth({ reply: response, isError }: AuthReply): void {
    if (isError) this.#fail(response);
    else this.#say(response);
  }

  async #mail(argument: string): Promise<void> {
    if (this.#helo === null) return this.#fail(reply(503, "5.5.1", "Send EHLO first"));
    if (this.#mailFrom !== null) return this.#fail(replies.badSequence);
    const mailFrom = this.#argument(() => readMailFrom(argument));
    if (mailFrom === null) return;
    if (mailFrom.sizeBytes > this.#options.maxMessageBytes) return this.#fail(replyFor("message_too_large"));
    const refusal = this.#auth === null ? null : await this.#authorize(mailFrom, this.#auth.submitter);
    if (refusal !== null) return refusal.code === 421 ? this.#endWith421(refusal.text) : this.#fail(refusal);
    this.#mailFrom = mailFrom;
    this.#say(reply(250, "2.1.0", "Ok"));
  }

  async #authorize(mailFrom: MailFrom, submitter: Submitter | null): Promise<SmtpReply | null> {
    if (submitter === null) return replyFor("not_signed_in");
    try {
      return (await this.#options.handlers.authorizeSender?.(submitter, mailFrom)) ?? null;
    } catch (thrown) {
      return replyForThrow(thrown);
    }
  }

  async #rcpt(argument: string): Promise<void> {
    const mailFrom = this.#mailFrom;
    if (mailFrom === null) return this.#fail(replies.badSequence);
    if (this.#recipients.length >= bounds.message.recipients) {
      return this.#counts.isTooManyRecipients()
        ? this.#endWith421(replies.tooManyRecipients.text)
        : this.#say(replies.tooManyRecipients);
    }
    const path = this.#argument(() => readRcptTo(argument));
    if (path === null) return;
    try {
      const isNullSender = mailFrom.envelopeFrom === "";
      this.#replyToRcpt(await this.#options.handlers.resolve(path, isNullSender, this.#clientAddress));
    } catch (thrown) {
      this.#say(replyForThrow(thrown));
    }
  }

  #replyToRcpt(verdict: Verdict<ResolvedRecipient>): void {
    if (verdict.verdict !== "accept" && verdict.verdict !== "discard") return this.#fail(replyFor(verdict.code));
    this.#recipients.push(verdict.verdict === "accept" ? verdict.value : { kind: "paused" });
    this.#say(reply(250, "2.1.5", "Ok"));
  }

  #startData(argument: string): void {
    if (argument !== "") return this.#fail(replyFor("invalid"));
    if (this.#mailFrom === null) return this.#fail(replies.badSequence);
    if (this.#recipients.length === 0) return this.#fail(reply(554, "5.5.1", "No valid recipients"));
    const { budget, maxMessageBytes } = this.#options;
    if (!budget.take(MIN_ROOM_BYTES)) return this.#say(replyFor("memory_budget"));
    budget.give(MIN_ROOM_BYTES);
    this.#data = new DataReader(maxMessageBytes, budget);
    this.#say(reply(354, null, "End the message with a line of a single dot"));
    this.#flush();
  }

  async #startTls(argument: string): Promise<void> {
    const { upgrade } = this.#options;
    if (argument !== "") return this.#fail(replyFor("invalid"));
    if (upgrade === null || this.#secure) return this.#fail(replies.notOffered);
    if (this.#options.hasHandshakeRoom?.() === false) return this.#endWith421("Too many handshakes from your network");
    this.#say(reply(220, "2.0.0", "Go ahead"));
    this.#flush();
    // Commands sent in the clear after STARTTLS may be injected (CVE-2011-0411).
    this.#input.clear();
    const plain = this.#socket;
    plain.removeAllListeners("data");
    plain.removeAllListeners("timeout");
    plain.off("end", this.#noteEnd);
    try {
      this.#socket = await upgrade(plain);
    } catch {
      plain.destroy();
      return this.#drop();
    }
    this.#secure = true;
    this.#helo = null;
    this.#reset();
    this.#listen(this.#socket);
  }

  #argument<T>(read: () => T): T | null {
    try {
      return read();
    } catch (thrown) {
      if (!(thrown instanceof MailArgumentError)) throw thrown;
      this.#fail(thrown.reply);
      return null;
    }
  }

  #reset(): void {
    this.#mailFrom = null;
    this.#recipients = [];
  }

  #fail(response: SmtpReply): void {
    this.#say(response);
    if (this.#counts.isTooManyErrors()) this.#endWith421("Too many errors");
  }

  #endWith421(why: string): void {
    this.leave(reply(421, "4.7.0", why));
  }

  #say(response: SmtpReply): void {
    if (!this.#ended) this.#out += formatReply(response);
  }

  #flush(): void {
    if (this.#out === "" || this.#socket.destroyed) return;
    this.#socket.write(this.#out);
    this.#out = "";
    // A client that does not read its replies is no mail host.
    if (this.#socket.writableLength > UNREAD_BYTES_MAX) this.#socket.destroy();
  }

  /** @param hasQuit nothing more will be sent (RFC 5321 §4.1.1.10) */
  #end(hasQuit = false): void {
    this.#flush();
    this.#ended = true;
    const isDone = hasQuit && !this.#secure && this.#input.isEmpty && this.#socket.writableLength === 0;
    if (isDone) return void this.#socket.destroy();
    this.#input.clear();
    this.#socket.end();
    // Closing a socket with unread bytes could discard the last reply.
    this.#socket.resume();
    this.#closeTimer = setTimeout(() => this.#socket.destroy(), 2000).unref();
  }
}

function tlsOf(socket: TLSSocket): SessionTls {
  return { version: socket.getProtocol() ?? "unknown", cipher: socket.getCipher().standardName };
}
