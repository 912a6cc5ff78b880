/** Signs in at our own submission port as a mail program does, to tell its owner what works. */
import { connect, type TLSSocket } from "node:tls";
import type { SmtpConnectionTest } from "@kauke/contract";
import { isSelfSigned } from "../../core/certificate.ts";
import type { Resolver } from "../dns/resolver.ts";

interface Target {
  /** Name that mail programs connect to. */
  serverName: string;
  /** Where this process reaches the listener, which has TLS from the first byte. */
  host: string;
  port: number;
  resolver: Pick<Resolver, "resolve4" | "resolve6">;
}

const TEST_MS = 8000;
const REPLY_MAX = 8192;
type Found = Pick<SmtpConnectionTest, "connection" | "certificate" | "signIn">;
const closed: Found = { connection: "closed", certificate: null, signIn: null };

/** Never throws because of what the port does. */
export async function testSubmission(
  target: Target,
  login: { username: string; password: string },
): Promise<SmtpConnectionTest> {
  const [name, found] = await Promise.all([findName(target), signIn(target, login)]);
  return { name, ...found };
}

async function findName({ serverName, resolver }: Target): Promise<SmtpConnectionTest["name"]> {
  const results = await Promise.all([resolver.resolve4(serverName), resolver.resolve6(serverName)]);
  if (results.some(({ kind }) => kind === "found")) return "found";
  return results.some(({ kind }) => kind === "failed") ? "unknown" : "missing";
}

async function signIn(target: Target, { username, password }: { username: string; password: string }): Promise<Found> {
  const { host, port, serverName } = target;
  // `certificateOf` says what a mail program would refuse.
  const socket = connect({ host, port, servername: serverName, rejectUnauthorized: false });
  const timer = setTimeout(() => socket.destroy(), TEST_MS);
  socket.on("error", () => socket.destroy());
  try {
    const isSecure = await new Promise<boolean>((resolve) => {
      socket.once("secureConnect", () => resolve(true));
      socket.once("close", () => resolve(false));
    });
    if (!isSecure) return closed;
    const certificate = certificateOf(socket, serverName);
    const replies = new Replies(socket);
    if (!(await replies.next()).startsWith("220")) return { connection: "no_greeting", certificate, signIn: null };
    await replies.ask("EHLO localhost");
    const initial = Buffer.from(`\0${username}\0${password}`, "utf8").toString("base64");
    const code = (await replies.ask(`AUTH PLAIN ${initial}`)).slice(0, 3);
    socket.end("QUIT\r\n");
    return { connection: "open", certificate, signIn: outcomes[code] ?? "later" };
  } finally {
    clearTimeout(timer);
    socket.destroySoon();
  }
}

const outcomes: Readonly<Record<string, "accepted" | "refused">> = { 235: "accepted", 535: "refused" };

function certificateOf(socket: TLSSocket, serverName: string): SmtpConnectionTest["certificate"] {
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return "untrusted";
  if (certificate.validToDate.getTime() < Date.now()) return "expired";
  if (certificate.checkHost(serverName) === undefined) return "other_name";
  if (isSelfSigned(certificate)) return "self_signed";
  return socket.authorized ? "valid" : "untrusted";
}

class Replies {
  readonly #socket: TLSSocket;
  #text = "";
  #wake = () => {};

  constructor(socket: TLSSocket) {
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => {
      this.#text += chunk.toString("latin1");
      this.#wake();
    });
    socket.on("close", () => this.#wake());
  }

  ask(line: string): Promise<string> {
    this.#socket.write(`${line}\r\n`);
    return this.next();
  }

  /** @returns a whole reply; empty at the end of the connection, or if it is too long */
  async next(): Promise<string> {
    for (;;) {
      const [found] = /^(?:\d{3}-[^\n]*\n)*\d{3}(?: [^\n]*)?\r?\n/.exec(this.#text) ?? [];
      if (found !== undefined) {
        this.#text = this.#text.slice(found.length);
        return found.trimEnd().split("\n").at(-1) ?? "";
      }
      if (this.#socket.closed || this.#socket.destroyed || this.#text.length > REPLY_MAX) return "";
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
