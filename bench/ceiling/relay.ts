/**
 * A bare forwarder on node:net: the lower limit of what forwarding costs on Node. Looks up one alias, rewrites the
 * envelope sender (SRS), adds a Received field, signs with DKIM (RSA-2048, relaxed/relaxed) off the event loop, and
 * relays the message in its dot-stuffed form over pooled connections before it answers. It has no TLS, limits, queue or
 * error recovery, so it is a yardstick and not a product.
 *
 * Settings: `PORT` to listen on, `SINK` to relay to, both on loopback.
 */
import { createHash, createHmac, generateKeyPairSync, sign } from "node:crypto";
import { connect, createServer, type Socket } from "node:net";

const DOMAIN = "in.test";
const SELECTOR = "s1";
const MAIL_HOST = "mx.in.test";
const CONNECTIONS_MAX = 20;
const END_OF_DATA = Buffer.from("\r\n.\r\n");
/** Last bytes of the DATA command, which may also be the beginning of the end of an empty message. */
const CRLF = Buffer.from("\r\n");

const sinkPort = Number(process.env.SINK);
const destinations = new Map([["alias@in.test", "user@out.test"]]);
const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const srsSecret = "secret";
let messages = 0;

interface Forwarded {
  from: string;
  to: string;
  parts: readonly Buffer[];
  /** Called with the reply line for the sender. */
  answer: (reply: string) => void;
}

function srsAddress(from: string): string {
  const at = from.lastIndexOf("@");
  if (at < 0) return "";
  const [user, host] = [from.slice(0, at), from.slice(at + 1)];
  const day = Math.floor(Date.now() / 86_400_000) % 1024;
  const hash = createHmac("sha1", srsSecret).update(`${day}${host}${user}`).digest("base64").slice(0, 4);
  return `SRS0=${hash}=${day.toString(36)}=${host}=${user}@${DOMAIN}`;
}

const signedNames = new Set(
  "from sender reply-to to cc subject date message-id mime-version content-type content-transfer-encoding list-unsubscribe".split(
    " ",
  ),
);

/** @param wire the message with its final dot @param done receives the DKIM-Signature field */
function signMessage(wire: Buffer, done: (field: string) => void): void {
  const message = withoutStuffing(wire.subarray(0, wire.length - 3));
  const headerEnd = message.indexOf("\r\n\r\n");
  const bodyHash = createHash("sha256")
    .update(relaxedBody(message.subarray(headerEnd + 4)))
    .digest("base64");
  const fields = signedFields(message.toString("latin1", 0, headerEnd));
  const names = [...fields.keys()].join(":");
  const unsigned = `v=1; a=rsa-sha256; c=relaxed/relaxed; d=${DOMAIN}; s=${SELECTOR}; h=${names}; bh=${bodyHash}; b=`;
  const input = `${[...fields].map(([name, value]) => `${name}:${value}\r\n`).join("")}dkim-signature:${unsigned}`;
  sign("sha256", Buffer.from(input, "latin1"), privateKey, (error, signature) => {
    if (error !== null) throw error;
    const folded = signature.toString("base64").replaceAll(/.{70}/g, "$&\r\n ");
    done(`DKIM-Signature: ${unsigned}${folded}\r\n`);
  });
}

function withoutStuffing(wire: Buffer): Buffer {
  if (wire[0] !== 0x2e && !wire.includes("\r\n..")) return wire;
  return Buffer.from(wire.toString("latin1").replaceAll(/^\.\./gm, "."), "latin1");
}

/** Canonicalizes a body (RFC 6376 §3.4.4); copies it only if it contains white space that changes. */
function relaxedBody(body: Buffer): Buffer {
  const isUnchanged = !body.includes("  ") && !body.includes("\t") && !body.includes(" \r\n");
  const relaxed = isUnchanged
    ? body
    : Buffer.from(
        body
          .toString("latin1")
          .replaceAll(/[ \t]+/g, " ")
          .replaceAll(" \r\n", "\r\n"),
        "latin1",
      );
  let end = relaxed.length;
  while (end >= 4 && relaxed[end - 1] === 0x0a && relaxed[end - 3] === 0x0a) end -= 2;
  return relaxed.subarray(0, end);
}

/** @returns canonical values by name (RFC 6376 §3.4.2), of a repeated field the last one */
function signedFields(header: string): Map<string, string> {
  const values = new Map<string, string>();
  for (const field of header.split(/\r\n(?![ \t])/)) {
    const colon = field.indexOf(":");
    const name = field.slice(0, colon).toLowerCase();
    if (!signedNames.has(name)) continue;
    const unfolded = field.slice(colon + 1).replaceAll("\r\n", "");
    values.set(name, unfolded.replaceAll(/[ \t]+/g, " ").trim());
  }
  return values;
}

type Step = "greeting" | "ehlo" | "mail" | "rcpt" | "data" | "dot" | "rset";

/** A connection to the sink. Sends one message after another, each envelope in one write. */
class Outgoing {
  static readonly idle: Outgoing[] = [];
  static readonly waiting: Forwarded[] = [];
  static open = 0;

  readonly #socket: Socket;
  #step: Step = "greeting";
  #current: Forwarded;
  #refusal: string | null = null;
  #text = "";

  static send(mail: Forwarded): void {
    const connection = Outgoing.idle.pop();
    if (connection !== undefined) connection.#begin(mail);
    else if (Outgoing.open < CONNECTIONS_MAX) new Outgoing(mail);
    else Outgoing.waiting.push(mail);
  }

  constructor(first: Forwarded) {
    Outgoing.open++;
    this.#current = first;
    this.#socket = connect({ port: sinkPort, host: "127.0.0.1", noDelay: true });
    this.#socket.on("data", (chunk: Buffer) => this.#read(chunk));
    this.#socket.on("error", () => {});
    this.#socket.on("close", () => {
      Outgoing.open--;
      const at = Outgoing.idle.indexOf(this);
      if (at >= 0) Outgoing.idle.splice(at, 1);
      // The sink closes idle connections, sometimes just before one is used: it has none of the message then.
      else if (this.#step === "mail") Outgoing.send(this.#current);
      else this.#current.answer("451 the connection to the next host was lost");
    });
  }

  #begin(mail: Forwarded): void {
    this.#current = mail;
    this.#refusal = null;
    this.#step = "mail";
    this.#socket.write(`MAIL FROM:<${mail.from}>\r\nRCPT TO:<${mail.to}>\r\nDATA\r\n`);
  }

  #read(chunk: Buffer): void {
    this.#text += chunk.toString("latin1");
    for (let end = this.#text.indexOf("\n"); end >= 0; end = this.#text.indexOf("\n")) {
      const line = this.#text.slice(0, end).trimEnd();
      this.#text = this.#text.slice(end + 1);
      if (line[3] !== "-") this.#reply(line);
    }
  }

  #reply(line: string): void {
    switch (this.#step) {
      case "greeting":
        this.#step = "ehlo";
        this.#socket.write(`EHLO ${MAIL_HOST}\r\n`);
        break;
      case "ehlo":
        this.#begin(this.#current);
        break;
      case "mail":
      case "rcpt":
        if (!line.startsWith("2")) this.#refusal ??= line;
        this.#step = this.#step === "mail" ? "rcpt" : "data";
        break;
      case "data":
        this.#sendBody(line);
        break;
      case "dot":
        this.#current.answer(line);
        this.#next();
        break;
      case "rset":
        this.#next();
        break;
    }
  }

  #sendBody(line: string): void {
    if (line.startsWith("3")) {
      this.#step = "dot";
      this.#socket.cork();
      for (const part of this.#current.parts) this.#socket.write(part);
      this.#socket.uncork();
      return;
    }
    this.#current.answer(this.#refusal ?? line);
    this.#step = "rset";
    this.#socket.write("RSET\r\n");
  }

  #next(): void {
    const next = Outgoing.waiting.shift();
    if (next === undefined) Outgoing.idle.push(this);
    else this.#begin(next);
  }
}

/** SMTP connection from a sender to the ceiling relay. */
class Incoming {
  readonly #socket: Socket;
  #isData = false;
  #line = "";
  #chunks: Buffer[] = [];
  /** The last bytes of the message so far, among which its end may begin. */
  #tail: Buffer = CRLF;
  #helo = "";
  #from = "";
  #alias = "";
  #to: string | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("error", () => {});
    socket.on("data", (chunk: Buffer) => {
      for (let rest: Buffer = chunk; rest.length > 0; )
        rest = this.#isData ? this.#readMessage(rest) : this.#readCommand(rest);
    });
    this.#say(`220 ${MAIL_HOST} ESMTP`);
  }

  #say(line: string): void {
    this.#socket.write(`${line}\r\n`);
  }

  /** @returns the bytes that follow the command */
  #readCommand(chunk: Buffer): Buffer {
    const end = chunk.indexOf(0x0a);
    if (end < 0) {
      this.#line += chunk.toString("latin1");
      return chunk.subarray(chunk.length);
    }
    const line = (this.#line + chunk.toString("latin1", 0, end)).trimEnd();
    this.#line = "";
    this.#command(line);
    return chunk.subarray(end + 1);
  }

  #command(line: string): void {
    const path = () => line.slice(line.indexOf("<") + 1, line.indexOf(">"));
    switch (line.slice(0, 4).toUpperCase()) {
      case "EHLO":
        this.#helo = line.slice(5);
        return this.#say(`250-${MAIL_HOST}\r\n250-PIPELINING\r\n250 8BITMIME`);
      case "HELO":
        this.#helo = line.slice(5);
        return this.#say(`250 ${MAIL_HOST}`);
      case "MAIL":
        this.#from = path();
        return this.#say("250 ok");
      case "RCPT":
        this.#alias = path();
        this.#to = destinations.get(this.#alias.toLowerCase());
        return this.#say(this.#to === undefined ? "550 no such alias" : "250 ok");
      case "DATA":
        this.#isData = this.#to !== undefined;
        return this.#say(this.#isData ? "354 go ahead" : "503 no recipient");
      case "QUIT":
        this.#socket.end("221 bye\r\n");
        return;
      case "RSET":
      case "NOOP":
        return this.#say("250 ok");
      default:
        return this.#say("502 unknown");
    }
  }

  /** @returns the bytes that follow the message */
  #readMessage(chunk: Buffer): Buffer {
    const end = this.#endIn(chunk);
    if (end < 0) {
      this.#chunks.push(chunk);
      this.#tail = Buffer.concat([this.#tail, chunk.subarray(-4)]).subarray(-4);
      return chunk.subarray(chunk.length);
    }
    const last = chunk.subarray(0, end);
    const wire = this.#chunks.length === 0 ? last : Buffer.concat([...this.#chunks, last]);
    this.#chunks = [];
    this.#tail = CRLF;
    this.#isData = false;
    this.#forward(wire);
    return chunk.subarray(end);
  }

  /** @returns the offset after the final dot's CRLF; -1 if it is not in this chunk */
  #endIn(chunk: Buffer): number {
    const seam = Buffer.concat([this.#tail, chunk.subarray(0, 4)]).indexOf(END_OF_DATA);
    if (seam >= 0) return seam + END_OF_DATA.length - this.#tail.length;
    const at = chunk.indexOf(END_OF_DATA);
    return at < 0 ? -1 : at + END_OF_DATA.length;
  }

  #forward(wire: Buffer): void {
    const id = `${process.pid.toString(36)}${(messages++).toString(36)}`;
    const received =
      `Received: from ${this.#helo} ([${this.#socket.remoteAddress}])\r\n\tby ${MAIL_HOST} with ESMTP id ${id}\r\n` +
      `\tfor <${this.#alias}>; ${new Date().toUTCString().replace("GMT", "+0000")}\r\n`;
    const from = srsAddress(this.#from);
    const to = this.#to!;
    this.#to = undefined;
    signMessage(wire, (signature) => {
      const parts = [Buffer.from(signature + received, "latin1"), wire];
      Outgoing.send({ from, to, parts, answer: (reply) => this.#say(reply) });
    });
  }
}

createServer({ noDelay: true }, (socket) => new Incoming(socket)).listen({
  port: Number(process.env.PORT),
  host: "127.0.0.1",
  backlog: 1024,
});
