/**
 * Load generator and sink used where Postfix's are not installed, and for STARTTLS, which Postfix's do not support.
 * They run in this process, so rates measured with them are less reliable than CPU figures.
 */
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { FakeMx } from "@kauke/testkit/fakes/fake-mx";
import { testCertificate, testKey } from "@kauke/testkit/test-certificate";
import { envelopeFrom, helo, type LoadSink, type MailLoad } from "./mail-job.ts";
import { messageLines, wireMessage } from "./message.ts";
import { startSink } from "./sink/start-sink.ts";

/**
 * @param isSecure both sides must use TLS, or the measurement fails; every message has its own connection and full
 * handshake
 */
export function ownLoad({ isSecure }: { isSecure: boolean }): MailLoad {
  return {
    name: isSecure ? "our own generator and sink, STARTTLS" : "our own generator and sink (Postfix is not installed)",
    startSink: isSecure ? startSecureSink : startSink,
    async send({ port, rcptTo, count, sessions, sizeBytes }) {
      const message = [wireMessage(messageLines(sizeBytes)), Buffer.from(".\r\n")];
      await inSessions(Math.min(sessions, count), Array<null>(count).fill(null), () =>
        sendOne({ port, envelopeFrom, rcptTo, helo, message, isSecure }),
      );
    },
  };
}

/**
 * Starts a mail host that requires STARTTLS, accepts everything and stores nothing. A message over a connection without
 * TLS is not counted, so that the measurement fails.
 */
async function startSecureSink(port: number): Promise<LoadSink> {
  const sink = await FakeMx.start({ port, tls: { key: testKey, cert: testCertificate } });
  let received = 0;
  sink.keep = (mail) => void (received += mail.isSecure ? 1 : 0);
  return { received: () => received, close: () => sink.close() };
}

/** Processes items in order, `sessions` of them at a time. */
export async function inSessions<Item>(
  sessions: number,
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  const runSession = async () => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: sessions }, runSession));
}

export interface OneMessage {
  port: number;
  envelopeFrom: string;
  rcptTo: string;
  helo: string;
  /** The message in chunks, with its final dot. */
  message: readonly Buffer[];
  isSecure: boolean;
  /** Address to connect from. */
  localAddress?: string;
  /** TLS sessions of earlier connections, which are resumed; by default every connection makes a full handshake. */
  tlsSessions?: TlsSessions;
}

/** The latest TLS session of each sending host, by its name in EHLO. */
export type TlsSessions = Map<string, Buffer>;

/** Sends a message over a connection of its own. @throws when it is not accepted */
export async function sendOne(mail: OneMessage): Promise<void> {
  const { port, rcptTo, helo, message, isSecure, localAddress, tlsSessions: sessions = null } = mail;
  const from = localAddress === undefined ? {} : { localAddress };
  let talk = new Talk(connect({ port, host: "127.0.0.1", noDelay: true, ...from }));
  await talk.answer();
  if (isSecure) {
    await talk.say(`EHLO ${helo}\r\n`);
    await talk.say("STARTTLS\r\n");
    talk = new Talk(await secure(talk.leave(), sessions && { sessions, host: helo }));
  }
  const commands = [`EHLO ${helo}`, `MAIL FROM:<${mail.envelopeFrom}>`, `RCPT TO:<${rcptTo}>`, "DATA"];
  for (const command of commands) await talk.say(`${command}\r\n`);
  await talk.say(...message);
  await talk.say("QUIT\r\n");
  talk.leave().end();
}

/**
 * Key exchanges that senders offer: those of OpenSSL 3.0, with which Debian 12's mail hosts are built, and the measured
 * Postfix too. With Node's own list, Kauke and Haraka would make a second, post-quantum key exchange, and Postfix not.
 */
const keyExchanges = "X25519:P-256";

/** Upgrades to TLS without verifying the certificate, which is that of the tests; only the handshake is measured. */
function secure(socket: Socket, resumed: { sessions: TlsSessions; host: string } | null): Promise<Socket> {
  const session = resumed?.sessions.get(resumed.host);
  return new Promise((resolve, reject) => {
    const options = { socket, rejectUnauthorized: false, ecdhCurve: keyExchanges, ...(session && { session }) };
    const withTls = connectTls(options, () => resolve(withTls));
    withTls.once("error", reject);
    if (resumed !== null) withTls.on("session", (latest) => resumed.sessions.set(resumed.host, latest));
  });
}

/** One SMTP connection of the generator. */
class Talk {
  readonly #socket: Socket;
  #text = "";
  #waiting: { resolve: () => void; reject: (reason: Error) => void } | null = null;
  #failed: Error | null = null;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => this.#read(chunk));
    socket.on("error", (error) => this.#fail(error));
    socket.on("close", () => this.#fail(new Error("the forwarder hung up")));
  }

  say(...chunks: readonly (string | Buffer)[]): Promise<void> {
    this.#socket.cork();
    for (const chunk of chunks) this.#socket.write(chunk);
    this.#socket.uncork();
    return this.answer();
  }

  /** Waits for the next reply. @throws when it is not a positive one */
  answer(): Promise<void> {
    if (this.#failed !== null) return Promise.reject(this.#failed);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  /** Removes all listeners. @returns the socket, for another reader */
  leave(): Socket {
    return this.#socket
      .removeAllListeners("data")
      .removeAllListeners("error")
      .removeAllListeners("close")
      .on("error", () => {});
  }

  #read(chunk: Buffer): void {
    this.#text += chunk.toString("latin1");
    const reply = /^(?:\d{3}-.*\r\n)*(\d{3})(?: .*)?\r\n/.exec(this.#text);
    if (reply === null) return;
    this.#text = "";
    if (/^[23]/.test(reply[1]!)) return this.#waiting?.resolve();
    this.#fail(new Error(`refused: ${reply[0].trim()}`));
    this.#socket.destroy();
  }

  #fail(error: Error): void {
    this.#failed ??= error;
    this.#waiting?.reject(this.#failed);
  }
}
