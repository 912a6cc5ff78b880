/**
 * One POP3 session (RFC 1939, RFC 2449, RFC 5034) over a maildrop that is always empty: mail arrives in its owner's real
 * mailbox, but most mail programs set up no account without an incoming server.
 */

import type { Socket } from "node:net";
import { bounds } from "../../limits/table.ts";
import { reply, replyFor, type SmtpReply } from "../reply.ts";
import { parseCommand, replies } from "./commands.ts";
import { type AuthReply, SessionAuth } from "./session-auth.ts";
import type { MailSession, SessionOptions } from "./session-handlers.ts";
import { afterReading, SessionInput } from "./session-input.ts";
import { SessionCounts, type SessionProgress, UNREAD_BYTES_MAX } from "./session-limits.ts";

const CLOSE_MS = 2000;
const capabilities = ["+OK", "USER", "UIDL", "SASL PLAIN", "PIPELINING", "RESP-CODES", "AUTH-RESP-CODE", "."];
const emptyList = "+OK 0 messages\r\n.";
const noMessage = "-ERR No such message";

/** Responses to signed-in clients; `one`: to the command with the number of a message. */
const maildrop: ReadonlyMap<string, { all: string; one: string }> = new Map([
  ["STAT", { all: "+OK 0 0", one: "+OK 0 0" }],
  ["LIST", { all: emptyList, one: noMessage }],
  ["UIDL", { all: emptyList, one: noMessage }],
  ["RETR", { all: noMessage, one: noMessage }],
  ["DELE", { all: noMessage, one: noMessage }],
  ["NOOP", { all: "+OK", one: "+OK" }],
  ["RSET", { all: "+OK", one: "+OK" }],
]);

export class Pop3Session implements MailSession {
  readonly #options: SessionOptions;
  readonly #socket: Socket;
  readonly #input = new SessionInput();
  readonly #counts = new SessionCounts();
  readonly #auth: SessionAuth;
  readonly #startedAt: number;
  #since: number;
  #user: string | null = null;
  #out = "";
  #busy = true;
  #ended = false;
  #closeTimer: NodeJS.Timeout | undefined;

  /** @param socket after its TLS handshake */
  constructor(socket: Socket, options: SessionOptions) {
    this.#socket = socket;
    this.#options = options;
    const refuse = async () => ({ refusal: replies.notOffered });
    const clientAddress = (socket.remoteAddress ?? "").replace(/^::ffff:(?=\d+\.)/, "");
    this.#auth = new SessionAuth(options.handlers.signIn ?? refuse, clientAddress);
    this.#startedAt = options.nowMs();
    this.#since = this.#startedAt;
    socket.on("data", (chunk: Buffer) => this.#take(chunk));
    socket.on("end", () => this.#end());
    socket.on("timeout", () => this.leave(reply(421, "4.4.2", "Waited too long")));
    socket.on("error", () => socket.destroy());
    socket.on("close", () => this.#drop());
    afterReading(() => this.#greet());
  }

  get isIdle(): boolean {
    return !this.#busy;
  }

  get progress(): SessionProgress {
    const isStranger = this.#auth.submitter === null;
    return { isBusy: this.#busy, since: this.#since, lastMailAt: this.#startedAt, isStranger, data: null };
  }

  shutdown(): void {
    this.leave(reply(421, "4.3.2", `${this.#options.mailHost} is closing, please try again later`));
  }

  leave(response: SmtpReply): void {
    if (this.#ended) return;
    this.#say(errorText(response));
    this.#end();
  }

  #greet(): void {
    this.#busy = false;
    if (this.#ended) return;
    if (this.#options.isClosing()) return this.shutdown();
    this.#say(`+OK ${this.#options.mailHost} POP3 Kauke, always empty`);
    void this.#work();
  }

  #drop(): void {
    this.#ended = true;
    clearTimeout(this.#closeTimer);
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
      this.leave(replyFor("internal"));
    }
    this.#busy = false;
    this.#flush();
  }

  #step(): Promise<void> | null {
    if (this.#ended || this.#input.isEmpty) return null;
    const taken = this.#input.takeLine();
    if (taken === null) return null;
    this.#since = this.#options.nowMs();
    if (taken === "too_long") {
      this.leave(reply(500, null, "Line too long"));
      return null;
    }
    if (this.#options.isClosing()) {
      this.shutdown();
      return null;
    }
    return this.#auth.isPending ? this.#sayAuth(this.#auth.next(taken.line)) : this.#command(taken.line);
  }

  async #command(line: string): Promise<void> {
    const command = parseCommand(line);
    if (this.#counts.isTooManyCommands()) return this.leave(reply(421, null, "Too many commands"));
    if (command === null) return this.#fail("-ERR Unknown command");
    const { verb, argument } = command;
    if (verb === "CAPA") return this.#say(capabilities.join("\r\n"));
    if (verb === "QUIT") {
      this.#say("+OK Bye");
      return this.#end();
    }
    if (this.#auth.submitter === null) return this.#signIn(verb, argument);
    const shown = maildrop.get(verb);
    if (shown === undefined) return this.#fail("-ERR Unknown command");
    this.#say(argument === "" ? shown.all : shown.one);
  }

  async #signIn(verb: string, argument: string): Promise<void> {
    if (verb === "AUTH") return this.#sayAuth(this.#auth.begin(argument, true));
    if (verb === "USER") {
      this.#user = argument;
      return this.#say("+OK");
    }
    const user = this.#user;
    if (verb !== "PASS" || user === null) return this.#fail("-ERR Sign in first");
    this.#user = null;
    const initial = Buffer.from(`\0${user}\0${argument}`, "utf8").toString("base64");
    return this.#sayAuth(this.#auth.begin(`PLAIN ${initial}`, true));
  }

  async #sayAuth(result: Promise<AuthReply>): Promise<void> {
    const { reply: response, isError } = await result;
    if (response.code === 334) return this.#say(`+ ${response.text}`);
    if (isError) return this.#fail(errorText(response));
    this.#say(response.code === 235 ? `+OK ${response.text}` : errorText(response));
  }

  #fail(text: string): void {
    this.#say(text);
    if (this.#counts.isTooManyErrors()) this.leave(reply(421, null, "Too many errors"));
  }

  #say(text: string): void {
    if (!this.#ended) this.#out += `${text}\r\n`;
  }

  #flush(): void {
    if (this.#out === "" || this.#socket.destroyed) return;
    this.#socket.write(this.#out);
    this.#out = "";
    if (this.#socket.writableLength > UNREAD_BYTES_MAX) this.#socket.destroy();
  }

  #end(): void {
    if (this.#ended) return;
    this.#flush();
    this.#ended = true;
    this.#input.clear();
    this.#socket.end();
    // Closing a socket with unread bytes could discard the last response.
    this.#socket.resume();
    this.#closeTimer = setTimeout(() => this.#socket.destroy(), CLOSE_MS).unref();
  }
}

/** Response codes of RFC 2449 §8.1.1 and RFC 3206: AUTH asks for another password, SYS/TEMP to try later. */
function errorText({ code, text }: SmtpReply): string {
  if (code === 535) return `-ERR [AUTH] ${text}`;
  return code >= 400 && code < 500 ? `-ERR [SYS/TEMP] ${text}` : `-ERR ${text}`;
}
