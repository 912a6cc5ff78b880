/**
 * Clients that send anything: whole dialogues with chunks lost, doubled, swapped and corrupted, and plain noise, over
 * real sockets to the MX and, signed in or not, to submission. 1,000 of them, 100,000 in `npm run test:long`.
 */
import { connect, createServer, type Server } from "node:net";
import type { Submitter } from "@kauke/server/core/smtp-credential";
import { MemoryBudget } from "@kauke/server/limits/bytes";
import { accept, reject, reply } from "@kauke/server/mail/reply";
import { AuthExchange } from "@kauke/server/mail/smtp/session-auth";
import type { SessionHandlers } from "@kauke/server/mail/smtp/session-handlers";
import { SmtpServer } from "@kauke/server/mail/smtp/smtp-server";
import { SmtpSession } from "@kauke/server/mail/smtp/smtp-session";
import { rounds } from "@kauke/testkit/long-rounds";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";

const NUM_RUNS = rounds(1000, 100_000);
const TIMEOUT_MS = rounds(120_000, 3_600_000);
const budget = new MemoryBudget(400_000);
const received: Buffer[] = [];
const credentials = Buffer.from("\0shop@kauke.test\0right").toString("base64");
let mx: SmtpServer;
let submission: Server;
const ports = { mx: 0, submission: 0 };

const handlers: SessionHandlers = {
  resolve: async (path) =>
    path.local === "shop" ? accept({ kind: "operator", address: path.canonical }) : reject("alias_not_found"),
  receive: async ({ wire }) => {
    received.push(wire);
    return reply(250, "2.0.0", "Ok kept");
  },
};
const submitting: SessionHandlers = {
  ...handlers,
  signIn: async ({ username, password }) =>
    password === "right"
      ? { submitter: { aliasId: "a", userId: "u", address: username } as unknown as Submitter }
      : { refusal: reply(535, "5.7.8", "No") },
  authorizeSender: async () => null,
};

beforeAll(async () => {
  mx = new SmtpServer({
    listener: { host: "127.0.0.1", port: 0, sharePort: false },
    mailHost: "mail.kauke.test",
    maxMessageBytes: 50_000,
    budget,
    tls: null,
    limits: { maxConnections: 1000, maxConnectionsPerAddress: 1000, maxBytesPerAddress: 400_000 },
    metrics: { count() {}, gauge() {} },
    handlers,
  });
  ports.mx = await mx.listen();
  // Submission sessions as if under TLS, without the cost of encryption.
  submission = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    const common = { mailHost: "mail.kauke.test", maxMessageBytes: 50_000, budget, upgrade: null };
    new SmtpSession(socket, { ...common, handlers: submitting, secure: true, isClosing: () => false, nowMs: () => 0 });
  });
  await new Promise<void>((done) => submission.listen(0, "127.0.0.1", done));
  ports.submission = (submission.address() as { port: number }).port;
});

afterAll(async () => {
  await mx.close(100);
  await new Promise((done) => submission.close(done));
});

interface Manner {
  patienceMs?: number;
  /** Milliseconds to wait for a reply before the next chunk is sent; not every chunk gets one. */
  lookMs?: number;
}

/**
 * Waits for the greeting, sends all chunks, one after the other, and closes its side. @returns everything the server
 * sent; `hung` if the server did not close the connection in time
 */
function converse(port: number, pieces: readonly Buffer[], manner: Manner = {}): Promise<string> {
  const { patienceMs = 15_000, lookMs = 2 } = manner;
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true });
    let text = "";
    let sent = 0;
    let look: NodeJS.Timeout | undefined;
    const timer = setTimeout(() => {
      text = "hung";
      socket.destroy();
    }, patienceMs);
    const sendNext = () => {
      clearTimeout(look);
      const piece = pieces[sent++];
      if (piece === undefined) return void socket.end();
      socket.write(piece);
      look = setTimeout(sendNext, lookMs);
    };
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
      if (text.endsWith("\r\n")) sendNext();
    });
    // The server may close the connection of a client that goes on sending.
    socket.on("error", () => {});
    socket.on("end", () => socket.end());
    socket.on("close", () => {
      clearTimeout(timer);
      clearTimeout(look);
      resolve(text);
    });
  });
}

const lines = [
  "EHLO client.test",
  "HELO client.test",
  "MAIL FROM:<ann@example.org>",
  "MAIL FROM:<> SIZE=100 BODY=8BITMIME",
  "RCPT TO:<shop@kauke.test>",
  "RCPT TO:<nobody@kauke.test>",
  "DATA",
  "Subject: hi\r\n\r\nbody\r\n.",
  ".",
  "..",
  "RSET",
  "NOOP",
  "VRFY shop",
  "BDAT 5 LAST",
  "STARTTLS",
  "AUTH PLAIN",
  `AUTH PLAIN ${credentials}`,
  credentials,
  "AUTH LOGIN",
  "AUTH LOGIN c2hvcEBrYXVrZS50ZXN0",
  "cmlnaHQ=",
  "*",
  "=",
  "HELP",
  "QUIT",
  "x".repeat(3000),
  "a line of text\r\n".repeat(5000),
];
const ends = ["\r\n", "\r\n", "\r\n", "\r\n", "\n", "\r", ""];
const order = ["EHLO c.test", `AUTH PLAIN ${credentials}`, "MAIL FROM:<a@b.test>", "RCPT TO:<shop@kauke.test>", "DATA"];

const line = fc.tuple(fc.constantFrom(...lines), fc.constantFrom(...ends)).map((parts) => parts.join(""));
const noise = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes).toString("latin1"));
const begun = fc.nat({ max: order.length }).map((count) => order.slice(0, count).map((it) => `${it}\r\n`));
/** The usual commands up to some point of a transaction, then random commands and random bytes. */
const dialogue = fc.tuple(begun, fc.array(fc.oneof({ weight: 6, arbitrary: line }, noise), { maxLength: 15 }));
/** A dialogue in which up to five random bytes are replaced. */
const spoiled = fc
  .tuple(dialogue, fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { maxLength: 5 }))
  .map(([[start, more], changes]) => {
    const pieces = [...start, ...more].map((it) => Buffer.from(it, "latin1"));
    for (const [at, value] of changes) {
      const piece = pieces[at % Math.max(1, pieces.length)];
      if (piece !== undefined && piece.length > 0) piece[value % piece.length] = value;
    }
    return pieces;
  });
/**
 * A dialogue in chunks of one or of many lines; most lines of a chunk that is sent before any reply are rejected
 * together.
 */
const inChunks = fc.tuple(spoiled, fc.constantFrom(1, 1, 2, 20)).map(([pieces, size]) => {
  const chunks = Array.from({ length: Math.ceil(pieces.length / size) }, (_, at) => at * size);
  return chunks.map((at) => Buffer.concat(pieces.slice(at, at + size)));
});

const whole = /^(?:\d{3}(?:-[^\r\n]*|(?: [^\r\n]*)?)\r\n)*$/;

test.each(["mx", "submission"] as const)(
  "%s answers any input in whole replies, closes the connection, and keeps no memory",
  { timeout: TIMEOUT_MS },
  async (name) => {
    const property = fc.asyncProperty(fc.array(inChunks, { minLength: 10, maxLength: 10 }), async (clients) => {
      const answers = await Promise.all(clients.map((chunks) => converse(ports[name], chunks)));
      for (const answer of answers) expect(answer).toMatch(whole);
      for (const answer of answers) expect(answer === "" || answer.startsWith("220 ")).toBe(true);
      received.length = 0;
    });
    await fc.assert(property, { numRuns: NUM_RUNS / 10, endOnFailure: true });
    expect(budget.usedBytes).toBe(0);
    const commands = order.filter((it) => name !== "mx" || !it.startsWith("AUTH"));
    const polite = [...commands, "Subject: still here\r\n\r\n.", "QUIT"].map((it) => Buffer.from(`${it}\r\n`));
    expect(await converse(ports[name], polite, { lookMs: 10_000 })).toContain("250 2.0.0 Ok kept");
    expect(String(received[0])).toBe("Subject: still here\r\n\r\n");
  },
);

test("control: a server that neither answers in whole replies nor closes the connection is detected", async () => {
  const silent = createServer({ allowHalfOpen: true }, (socket) => void socket.write("no reply"));
  await new Promise<void>((done) => silent.listen(0, "127.0.0.1", done));
  const { port } = silent.address() as { port: number };
  expect(await converse(port, [Buffer.from("EHLO x\r\n")], { patienceMs: 200 })).toBe("hung");
  expect("hung").not.toMatch(whole);
  expect("no reply").not.toMatch(whole);
  silent.close();
});

test("an AUTH exchange takes one of its four steps for any line", { timeout: TIMEOUT_MS }, () => {
  const piece = fc.oneof(
    fc.constantFrom(credentials, "*", "=", "", "====", "c2hvcA==", "AAAA", "\0", "A".repeat(5000)),
    fc.string({ unit: "binary", maxLength: 20 }),
    fc.base64String({ maxLength: 80 }),
  );
  const mechanism = fc.constantFrom("PLAIN" as const, "LOGIN" as const);
  fc.assert(
    fc.property(mechanism, fc.option(piece), fc.array(piece, { maxLength: 4 }), (kind, initial, more) => {
      const exchange = new AuthExchange(kind);
      for (const step of [exchange.begin(initial), ...more.map((it) => exchange.next(it))]) {
        expect(["challenge", "credentials", "cancelled", "malformed"]).toContain(step.kind);
        if (step.kind === "credentials") expect(step.username.length + step.password.length).toBeLessThanOrEqual(1024);
      }
    }),
    { numRuns: NUM_RUNS },
  );
});
