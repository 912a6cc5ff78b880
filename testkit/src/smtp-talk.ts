/** A raw SMTP client over a real socket for protocol tests: sends exactly the given bytes, reads whole replies. */
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

const wholeReply = /^(?:\d{3}-.*\r\n)*\d{3}(?: .*)?\r\n/;

export class SmtpTalk {
  /** The socket of the connection, replaced by `startTls`. */
  socket: Socket;
  greeting = "";
  #received = "";
  #isClosed = false;
  #wake = () => {};

  private constructor(socket: Socket) {
    this.socket = socket;
    this.#listen();
  }

  /** Reads the greeting of the server at the other end of the socket. */
  static async over(socket: Socket): Promise<SmtpTalk> {
    const talk = new SmtpTalk(socket);
    talk.greeting = await talk.reply();
    return talk;
  }

  /** Sends one line and reads its reply, e.g. `250 2.0.0 Ok`; lines of a longer reply are joined by `\n`. */
  ask(line: string): Promise<string> {
    this.socket.write(`${line}\r\n`);
    return this.reply();
  }

  /** Sends bytes unchanged. */
  send(bytes: string | Buffer): void {
    this.socket.write(bytes);
  }

  /** Reads the next whole reply. @throws if the server closes the connection before its end */
  async reply(): Promise<string> {
    for (;;) {
      const [found] = wholeReply.exec(this.#received) ?? [];
      if (found !== undefined) {
        this.#received = this.#received.slice(found.length);
        return found.trimEnd().replaceAll("\r\n", "\n");
      }
      if (this.#isClosed) throw new Error("the server closed the connection");
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Reads every reply until the server closes the connection. */
  async rest(): Promise<string[]> {
    const replies: string[] = [];
    for (;;) {
      try {
        replies.push(await this.reply());
      } catch {
        return replies;
      }
    }
  }

  /**
   * Does the TLS handshake after a positive reply to STARTTLS.
   * @param checks without it, any certificate is accepted
   */
  async startTls(checks?: { servername: string; ca: string }): Promise<void> {
    const plain = this.socket;
    plain.removeAllListeners("data");
    const secure = connectTls({ socket: plain, ...(checks ?? { rejectUnauthorized: false }) });
    await new Promise<void>((resolve, reject) => {
      secure.once("secureConnect", resolve);
      secure.once("error", reject);
    });
    this.socket = secure;
    this.#listen();
  }

  close(): void {
    this.socket.destroy();
  }

  #listen(): void {
    this.socket.on("data", (chunk) => {
      this.#received += chunk.toString("utf8");
      this.#wake();
    });
    this.socket.on("error", () => {});
    this.socket.on("close", () => {
      this.#isClosed = true;
      this.#wake();
    });
  }
}

/** Connects and reads the greeting. @param localAddress address of the client, e.g. `127.1.2.3` */
export function smtpTalk(port: number, host = "127.0.0.1", localAddress?: string): Promise<SmtpTalk> {
  return SmtpTalk.over(connect({ port, host, noDelay: true, localAddress }));
}

/** Connects to a port that uses TLS from the first byte; accepts any certificate. */
export function smtpTalkTls(port: number, host = "127.0.0.1", localAddress?: string): Promise<SmtpTalk> {
  return SmtpTalk.over(connectTls({ socket: connect({ port, host, localAddress }), rejectUnauthorized: false }));
}

export interface TalkOptions {
  /** Name given in EHLO. */
  helo?: string;
  /** Address of the client, e.g. `127.1.2.3`. */
  localAddress?: string;
}

/** Connects and says EHLO. */
export async function greetedTalk(
  port: number,
  { helo = "client.example", localAddress }: TalkOptions = {},
): Promise<SmtpTalk> {
  const talk = await smtpTalk(port, "127.0.0.1", localAddress);
  await talk.ask(`EHLO ${helo}`);
  return talk;
}

/** Connects, says EHLO, switches to TLS by STARTTLS, and says EHLO again. */
export async function secureTalk(
  port: number,
  { helo = "laptop.example", localAddress }: TalkOptions = {},
): Promise<SmtpTalk> {
  const talk = await greetedTalk(port, { helo, localAddress });
  await talk.ask("STARTTLS");
  await talk.startTls();
  await talk.ask(`EHLO ${helo}`);
  return talk;
}

export interface TalkLogin {
  username: string;
  password: string;
}

/** @returns the AUTH PLAIN command line with these credentials (RFC 4616) */
export const authPlain = ({ username, password }: TalkLogin) =>
  `AUTH PLAIN ${Buffer.from(`\0${username}\0${password}`).toString("base64")}`;

/** Connects to a submission port with STARTTLS and signs in. @throws if the server refuses the login */
export async function signedInTalk(port: number, login: TalkLogin, options?: TalkOptions): Promise<SmtpTalk> {
  const talk = await secureTalk(port, options);
  const answer = await talk.ask(authPlain(login));
  if (answer !== "235 2.7.0 Welcome") throw new Error(`the server refused the login: ${answer}`);
  return talk;
}
