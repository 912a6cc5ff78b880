/**
 * A mail host under a test's control: answers any code at any stage, delays, hangs up, offers or hides extensions,
 * supports TLS. Stores every message byte for byte, with dot-stuffing removed.
 */
import { createServer, type Server, type Socket } from "node:net";
import { createSecureContext, type SecureContext, TLSSocket } from "node:tls";

export type FakeMxStage =
  | "greeting"
  | "ehlo"
  | "helo"
  | "starttls"
  | "auth"
  | "mail"
  | "rcpt"
  | "data"
  | "body"
  | "rset"
  | "quit"
  | "other";

export interface FakeMxStep {
  stage: FakeMxStage;
  /** The command line as received, without CRLF; empty at the stages `greeting` and `body`. */
  line: string;
  /** Number of the connection, from 1. */
  connection: number;
  isSecure: boolean;
}

/** Reply lines joined by `\n`; or an object, in which `drop` hangs up after the reply, if any. */
export type FakeMxAnswer = string | { reply?: string; delayMs?: number; drop?: boolean };

export interface MailAtFakeMx {
  envelopeFrom: string;
  rcptTo: string[];
  /** The whole MAIL command line, with parameters. */
  mailLine: string;
  /** The message with dot-stuffing removed, without the final dot. */
  bytes: Buffer;
  connection: number;
  isSecure: boolean;
}

export interface FakeMxOptions {
  extensions?: readonly string[];
  /** Returns the host's answer to a step of an SMTP dialogue, possibly later; `undefined` for the normal answer. */
  answer?: (step: FakeMxStep) => FakeMxAnswer | undefined | Promise<FakeMxAnswer | undefined>;
  /** Certificate for STARTTLS; with `implicitTls`, connections use TLS from the first byte. */
  tls?: { key: string; cert: string };
  implicitTls?: boolean;
  /** Number of body bytes after which the host hangs up. */
  dropAfterBodyBytes?: number;
  host?: string;
  port?: number;
}

export const ordinaryExtensions = ["PIPELINING", "8BITMIME", "SMTPUTF8", "SIZE 52428800", "ENHANCEDSTATUSCODES"];

const ordinaryAnswers: Record<FakeMxStage, string> = {
  greeting: "220 fake.example.test ESMTP",
  ehlo: "250 fake.example.test",
  helo: "250 fake.example.test",
  starttls: "220 2.0.0 go ahead",
  auth: "235 2.7.0 welcome",
  mail: "250 2.1.0 ok",
  rcpt: "250 2.1.5 ok",
  data: "354 go ahead",
  body: "250 2.0.0 taken",
  rset: "250 2.0.0 ok",
  quit: "221 2.0.0 bye",
  other: "500 5.5.2 what",
};

export class FakeMx implements AsyncDisposable {
  readonly messages: MailAtFakeMx[] = [];
  /** All commands of all connections, in order. */
  readonly commands: string[] = [];
  /** Number of chunks in which commands arrived: one for a pipelined envelope. */
  commandChunks = 0;
  connections = 0;
  /** Behaviour of the host; may be changed at any time. */
  options: FakeMxOptions;
  readonly secureContext: SecureContext | null;
  readonly #firstOptions: FakeMxOptions;
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  #arrivals: (() => void)[] = [];

  private constructor(options: FakeMxOptions) {
    this.options = options;
    this.#firstOptions = options;
    this.secureContext = options.tls === undefined ? null : createSecureContext(options.tls);
    this.#server = createServer({ noDelay: true }, (socket) => this.#welcome(socket));
  }

  static async start(options: FakeMxOptions = {}): Promise<FakeMx> {
    const mx = new FakeMx(options);
    await new Promise<void>((done, failed) => {
      mx.#server.once("error", failed);
      mx.#server.listen(options.port ?? 0, options.host ?? "127.0.0.1", done);
    });
    return mx;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  get openConnections(): number {
    return this.#open.size;
  }

  /** Resolves when `count` messages have been received in total. */
  async waitForMessages(count: number): Promise<readonly MailAtFakeMx[]> {
    while (this.messages.length < count) await new Promise<void>((done) => this.#arrivals.push(done));
    return this.messages;
  }

  keep(mail: MailAtFakeMx): void {
    this.messages.push(mail);
    for (const arrived of this.#arrivals.splice(0)) arrived();
  }

  /** Forgets the messages and commands received so far, and behaves again as when it was started. */
  reset(): void {
    this.messages.length = 0;
    this.commands.length = 0;
    this.options = this.#firstOptions;
  }

  /** Closes all connections without a reply; the host still listens. */
  dropConnections(): void {
    for (const socket of this.#open) socket.destroy();
  }

  async close(): Promise<void> {
    this.dropConnections();
    await new Promise<void>((done) => this.#server.close(() => done()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #welcome(socket: Socket): void {
    this.connections++;
    this.#open.add(socket);
    socket.on("close", () => this.#open.delete(socket));
    new FakeMxSession(this, socket, this.connections).begin();
  }
}

class FakeMxSession {
  readonly #mx: FakeMx;
  readonly #connection: number;
  #socket: Socket;
  #input: Buffer = Buffer.alloc(0);
  /**
   * Buffer that contains `#input` and has spare capacity, since concatenating every chunk of a large message would cost
   * more than the server under test.
   */
  #room: Buffer = this.#input;
  #isBody = false;
  #bodyBytes = 0;
  #authSteps = 0;
  #isBusy = false;
  #isSecure = false;
  #mail = { from: "", mailLine: "", to: [] as string[] };
  #hasSender = false;
  #hasRecipient = false;

  constructor(mx: FakeMx, socket: Socket, connection: number) {
    this.#mx = mx;
    this.#socket = socket;
    this.#connection = connection;
  }

  begin(): void {
    if (this.#mx.options.implicitTls === true) this.#secure();
    else this.#listen();
    void this.#answer("greeting", "");
  }

  #listen(): void {
    this.#socket.on("error", () => {});
    this.#socket.on("data", (chunk: Buffer) => {
      if (!this.#isBody) this.#mx.commandChunks++;
      this.#append(chunk);
      void this.#work();
    });
  }

  #append(chunk: Buffer): void {
    const size = this.#input.length + chunk.length;
    let start = this.#input.byteOffset - this.#room.byteOffset;
    if (start + size > this.#room.length) {
      this.#room = Buffer.allocUnsafeSlow(Math.max(65_536, 2 * size));
      this.#input.copy(this.#room);
      start = 0;
    }
    chunk.copy(this.#room, start + this.#input.length);
    this.#input = this.#room.subarray(start, start + size);
  }

  #secure(): void {
    this.#socket.removeAllListeners("data");
    const context = this.#mx.secureContext ?? undefined;
    this.#socket = new TLSSocket(this.#socket, { isServer: true, secureContext: context });
    this.#isSecure = true;
    this.#listen();
  }

  async #work(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    while (await (this.#isBody ? this.#body() : this.#command()));
    this.#isBusy = false;
  }

  /** @returns whether the input may contain another command */
  async #command(): Promise<boolean> {
    const end = this.#input.indexOf("\r\n");
    if (end < 0) return false;
    const line = this.#input.toString("utf8", 0, end);
    this.#input = this.#input.subarray(end + 2);
    this.#mx.commands.push(line);
    const stage = this.#authSteps > 0 ? "auth" : stageOf(line);
    this.#note(stage, line);
    const reply = await this.#answer(stage, line);
    if (stage === "mail" || stage === "rset") this.#hasRecipient = false;
    if (stage === "mail" || stage === "rset") this.#hasSender = stage === "mail" && reply.startsWith("2");
    if (stage === "rcpt") this.#hasRecipient ||= reply.startsWith("2");
    if (stage === "starttls" && reply.startsWith("2")) this.#secure();
    if (stage === "data" && reply.startsWith("354")) this.#isBody = true;
    return true;
  }

  async #body(): Promise<boolean> {
    const drop = this.#mx.options.dropAfterBodyBytes;
    if (drop !== undefined && this.#input.length >= drop) {
      this.#socket.destroy();
      return false;
    }
    const isEmpty = this.#input.subarray(0, 3).equals(Buffer.from(".\r\n"));
    const end = isEmpty ? 0 : this.#input.indexOf("\r\n.\r\n", Math.max(0, this.#bodyBytes - 4));
    this.#bodyBytes = this.#input.length;
    if (end < 0) return false;
    const stuffed = this.#input.subarray(0, isEmpty ? 0 : end + 2);
    this.#input = this.#input.subarray(isEmpty ? 3 : end + 5);
    this.#isBody = false;
    this.#bodyBytes = 0;
    const { from, to, mailLine } = this.#mail;
    const bytes = Buffer.from(stuffed.toString("latin1").replace(/(^|\r\n)\./g, "$1"), "latin1");
    const mail = { envelopeFrom: from, rcptTo: to, mailLine, bytes, connection: this.#connection };
    const reply = await this.#answer("body", "");
    if (reply.startsWith("2")) this.#mx.keep({ ...mail, isSecure: this.#isSecure });
    return true;
  }

  #note(stage: FakeMxStage, line: string): void {
    const path = /<(.*?)>/.exec(line)?.[1] ?? "";
    if (stage === "mail") this.#mail = { from: path, mailLine: line, to: [] };
    if (stage === "rcpt") this.#mail.to.push(path);
  }

  async #answer(stage: FakeMxStage, line: string): Promise<string> {
    const step = { stage, line, connection: this.#connection, isSecure: this.#isSecure };
    const scripted = await this.#mx.options.answer?.(step);
    const {
      reply = "",
      delayMs = 0,
      drop = false,
    } = typeof scripted === "string" ? { reply: scripted } : (scripted ?? { reply: this.#ordinary(stage, line) });
    if (delayMs > 0) await new Promise((done) => setTimeout(done, delayMs));
    if (reply !== "") this.#socket.write(`${wireLines(reply)}\r\n`);
    if (stage === "auth") this.#authSteps = reply.startsWith("334") ? this.#authSteps + 1 : 0;
    if (drop || stage === "quit") this.#socket.end();
    if (drop && reply === "") this.#socket.destroy();
    return reply;
  }

  #ordinary(stage: FakeMxStage, line: string): string {
    if (stage === "auth" && /^AUTH LOGIN$/i.test(line)) return "334 VXNlcm5hbWU6";
    if (stage === "auth" && this.#authSteps === 1) return "334 UGFzc3dvcmQ6";
    if (stage === "rcpt" && !this.#hasSender) return "503 5.5.1 no sender";
    if (stage === "data" && !this.#hasRecipient) return "503 5.5.1 no recipient";
    if (stage !== "ehlo") return ordinaryAnswers[stage];
    const { extensions = ordinaryExtensions, tls, implicitTls } = this.#mx.options;
    const offersTls = tls !== undefined && implicitTls !== true && !this.#isSecure;
    return [ordinaryAnswers.ehlo, ...extensions, ...(offersTls ? ["STARTTLS"] : [])]
      .map((line, index) => (index === 0 ? line : `250 ${line}`))
      .join("\n");
  }
}

/** Builds a reply for the wire: all lines but the last have a hyphen after the code. */
function wireLines(reply: string): string {
  const lines = reply.split("\n");
  return lines
    .map((line, index) => (index < lines.length - 1 ? `${line.slice(0, 3)}-${line.slice(4)}` : line))
    .join("\r\n");
}

function stageOf(line: string): FakeMxStage {
  const verb = line.split(" ", 1)[0]?.toLowerCase() ?? "";
  const known = ["ehlo", "helo", "starttls", "auth", "mail", "rcpt", "data", "rset", "quit"] as const;
  return known.find((stage) => stage === verb) ?? "other";
}
