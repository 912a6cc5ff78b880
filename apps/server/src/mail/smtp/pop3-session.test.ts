import { connect, createSecureContext, type TLSSocket } from "node:tls";
import { type SmtpServerStart, startSmtpServer } from "@kauke/testkit/smtp-server";
import { testCertificate, testKey } from "@kauke/testkit/test-certificate";
import { expect, onTestFinished, test, vi } from "vitest";
import { reply, replyFor } from "../reply.ts";
import { Pop3Session } from "./pop3-session.ts";
import type { SignInAttempt } from "./session-auth.ts";

const submitter = { aliasId: "a", userId: "u", aliasAddress: "shop@kauke.test", credentialId: "c", stamp: "s" };
const context = createSecureContext({ cert: testCertificate, key: testKey });
const attempts: SignInAttempt[] = [];

async function startPop3(options: SmtpServerStart = {}) {
  attempts.length = 0;
  const signIn = async (attempt: SignInAttempt) => {
    attempts.push(attempt);
    if (attempt.password === "later") return { refusal: replyFor("rate_limited") };
    return attempt.password === "right" ? { submitter } : { refusal: replyFor("credentials_wrong") };
  };
  const handlers = {
    resolve: async () => ({ verdict: "reject" as const, code: "invalid" as const }) as never,
    receive: async () => reply(550, null, "no"),
    signIn,
  };
  const tls = { context: () => context, isImplicit: true };
  return startSmtpServer({ handlers, tls, openSession: (...given) => new Pop3Session(...given), ...options });
}

/** Sends text and reads until the server has sent `lines` lines, or closes. */
class Pop3Talk {
  readonly socket: TLSSocket;
  text = "";
  isClosed = false;

  constructor(port: number) {
    this.socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false });
    this.socket.on("data", (chunk: Buffer) => {
      this.text += chunk.toString();
    });
    this.socket.on("error", () => {});
    this.socket.on("close", () => {
      this.isClosed = true;
    });
    onTestFinished(() => void this.socket.destroy());
  }

  async ask(line: string, lines = 1): Promise<string[]> {
    if (line !== "") this.socket.write(`${line}\r\n`);
    await vi.waitFor(() => expect(this.isClosed || this.text.split("\r\n").length > lines).toBe(true), 5000);
    const all = this.text.split("\r\n");
    this.text = all.slice(lines).join("\r\n");
    return all.slice(0, lines);
  }
}

async function talkTo(port: number): Promise<Pop3Talk> {
  const talk = new Pop3Talk(port);
  expect(await talk.ask("")).toEqual(["+OK mail.kauke.test POP3 Kauke, always empty"]);
  return talk;
}

const plain = (user: string, password: string) => Buffer.from(`\0${user}\0${password}`).toString("base64");

test("an empty mailbox answers every command of a mail program", async () => {
  const talk = await talkTo((await startPop3()).port);
  const capabilities = await talk.ask("CAPA", 8);
  expect([capabilities[0], capabilities.includes("SASL PLAIN"), capabilities.at(-1)]).toEqual(["+OK", true, "."]);
  expect(await talk.ask("STAT")).toEqual(["-ERR Sign in first"]);
  expect(await talk.ask("USER shop@kauke.test")).toEqual(["+OK"]);
  expect(await talk.ask("PASS right")).toEqual(["+OK Welcome"]);
  expect(attempts).toEqual([{ username: "shop@kauke.test", password: "right", clientAddress: "127.0.0.1" }]);
  expect(await talk.ask("STAT")).toEqual(["+OK 0 0"]);
  expect(await talk.ask("LIST", 2)).toEqual(["+OK 0 messages", "."]);
  expect(await talk.ask("uidl", 2)).toEqual(["+OK 0 messages", "."]);
  for (const line of ["LIST 1", "UIDL 1", "RETR 1", "DELE 1", "RETR"])
    expect(await talk.ask(line)).toEqual(["-ERR No such message"]);
  for (const line of ["NOOP", "RSET"]) expect(await talk.ask(line)).toEqual(["+OK"]);
  for (const line of ["TOP 1 0", "APOP a b", "STLS", "AUTH PLAIN"]) expect((await talk.ask(line))[0]).toMatch(/^-ERR /);
  expect(await talk.ask("QUIT")).toEqual(["+OK Bye"]);
  await vi.waitFor(() => expect(talk.isClosed).toBe(true));
});

test("AUTH PLAIN works with and without an initial response, and can be cancelled", async () => {
  const { port } = await startPop3();
  const one = await talkTo(port);
  expect(await one.ask(`AUTH PLAIN ${plain("shop@kauke.test", "right")}`)).toEqual(["+OK Welcome"]);
  const two = await talkTo(port);
  expect(await two.ask("AUTH PLAIN")).toEqual(["+ "]);
  expect((await two.ask("*"))[0]).toMatch(/^-ERR /);
  expect(await two.ask("auth plain")).toEqual(["+ "]);
  expect(await two.ask(plain("shop@kauke.test", "right"))).toEqual(["+OK Welcome"]);
  for (const line of ["AUTH", "AUTH CRAM-MD5"]) expect((await (await talkTo(port)).ask(line))[0]).toMatch(/^-ERR /);
});

test("a wrong password gets AUTH, a limit SYS/TEMP, and USER alone tells nothing", async () => {
  const talk = await talkTo((await startPop3()).port);
  expect(await talk.ask("PASS right")).toEqual(["-ERR Sign in first"]);
  for (const user of ["shop@kauke.test", "nobody@kauke.test", ""])
    expect(await talk.ask(`USER ${user}`)).toEqual(["+OK"]);
  expect(await talk.ask("PASS wrong")).toEqual(["-ERR [AUTH] User name or password is wrong"]);
  expect(await talk.ask("PASS right")).toEqual(["-ERR Sign in first"]);
  expect(await talk.ask("USER shop@kauke.test")).toEqual(["+OK"]);
  expect((await talk.ask("PASS later"))[0]).toMatch(/^-ERR \[SYS\/TEMP\] /);
});

test("pipelined commands are answered in order, also before the greeting is read", async () => {
  const talk = new Pop3Talk((await startPop3()).port);
  talk.socket.write("USER shop@kauke.test\r\nPASS right\r\nSTAT\r\nQUIT\r\n");
  const lines = await talk.ask("", 5);
  expect(lines.map((line) => line.slice(0, 8))).toEqual(["+OK mail", "+OK", "+OK Welc", "+OK 0 0", "+OK Bye"]);
});

test.each([
  ["a line without end", `USER ${"x".repeat(3000)}`],
  ["bare bytes", Buffer.alloc(4096, 0xff)],
  ["NULs and many errors", "\0\r\n".repeat(30)],
  ["many commands", "CAPA\r\n".repeat(400)],
  ["long AUTH", `AUTH PLAIN ${"A".repeat(2000)}\r\n`.repeat(25)],
])("%s ends the session, and another is served", async (_, bytes) => {
  const { port } = await startPop3();
  const talk = new Pop3Talk(port);
  talk.socket.once("secureConnect", () => talk.socket.write(bytes));
  await vi.waitFor(() => expect(talk.isClosed).toBe(true), 5000);
  expect(talk.text).toMatch(/\r\n-ERR [^\r\n]*\r\n$/);
  await talkTo(port);
});

test("slow strangers leave, and the places of an account and of a network are limited as for submission", async () => {
  const times = { signInMs: 300, sweepMs: 20 };
  const { port } = await startPop3({ maxConnectionsPerAccount: 1, maxConnectionsPerAddress: 3, times });
  const slow = await talkTo(port);
  await vi.waitFor(() => expect(slow.isClosed).toBe(true), 3000);
  expect(slow.text).toBe("-ERR [SYS/TEMP] Waited too long\r\n");
  const signIn = async () => (await (await talkTo(port)).ask(`AUTH PLAIN ${plain("shop@kauke.test", "right")}`))[0];
  expect(await signIn()).toBe("+OK Welcome");
  expect(await signIn()).toMatch(/^-ERR \[SYS\/TEMP\] Too many connections of this account/);
});

test("at shutdown an idle session is told", async () => {
  const { port, server } = await startPop3();
  const talk = await talkTo(port);
  await server.close(500);
  await vi.waitFor(() => expect(talk.isClosed).toBe(true));
  expect(talk.text).toMatch(/^-ERR \[SYS\/TEMP\] mail\.kauke\.test is closing/);
});
