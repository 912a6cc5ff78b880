import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { connect, type Socket } from "node:net";
import { type SmtpServerStart, startSmtpServer } from "@kauke/testkit/smtp-server";
import { greetedTalk, SmtpTalk, smtpTalk } from "@kauke/testkit/smtp-talk";
import { beforeEach, expect, test, vi } from "vitest";
import { MemoryBudget } from "../../limits/bytes.ts";
import { accept, reject, reply } from "../reply.ts";
import type { ReceivedMail, SessionHandlers } from "./session-handlers.ts";

const received: ReceivedMail[] = [];

beforeEach(() => {
  received.length = 0;
});

const handlers: SessionHandlers = {
  resolve: async (path) =>
    path.local === "shop" ? accept({ kind: "operator", address: path.canonical }) : reject("alias_not_found"),
  receive: async (mail) => {
    received.push(mail);
    return reply(250, "2.0.0", "Ok kept");
  },
};

function startMx(options: SmtpServerStart = {}) {
  const limits = { maxMessageBytes: 10_000, budget: new MemoryBudget(1_000_000), maxBytesPerAddress: 1_000_000 };
  return startSmtpServer({ ...limits, handlers, ...options });
}

test("a message is received unchanged, command by command", async () => {
  const talk = await smtpTalk((await startMx()).port);
  expect(talk.greeting).toBe("220 mail.kauke.test ESMTP Kauke");
  expect(await talk.ask("EHLO client.test")).toContain("250-PIPELINING");
  expect(await talk.ask("MAIL FROM:<ann@example.org> SIZE=20 BODY=8BITMIME")).toBe("250 2.1.0 Ok");
  expect(await talk.ask("RCPT TO:<shop@kauke.test>")).toBe("250 2.1.5 Ok");
  expect(await talk.ask("DATA")).toMatch(/^354 /);
  expect(await talk.ask("Subject: hi\r\n\r\nbody\r\n.")).toBe("250 2.0.0 Ok kept");
  expect(await talk.ask("QUIT")).toBe("221 2.0.0 Bye");
  expect(received[0]?.wire.toString()).toBe("Subject: hi\r\n\r\nbody\r\n");
  expect(received[0]?.mailFrom).toEqual({
    envelopeFrom: "ann@example.org",
    sizeBytes: 20,
    eightBit: true,
    smtpUtf8: false,
  });
});

test("a pipelined session in one packet gets every reply in order, and so does its next message", async () => {
  const talk = await greetedTalk((await startMx()).port);
  const group = "MAIL FROM:<a@example.org>\r\nRCPT TO:<shop@kauke.test>\r\nRCPT TO:<no@kauke.test>\r\nDATA\r\n";
  talk.send(group);
  const answers = [await talk.reply(), await talk.reply(), await talk.reply(), await talk.reply()];
  expect(answers.map((text) => text.slice(0, 3))).toEqual(["250", "250", "550", "354"]);
  talk.send(`one\r\n.\r\n${group}`);
  const more = [await talk.reply(), await talk.reply(), await talk.reply(), await talk.reply(), await talk.reply()];
  expect(more.map((text) => text.slice(0, 3))).toEqual(["250", "250", "250", "550", "354"]);
  talk.send("two\r\n.\r\nQUIT\r\n");
  expect((await talk.rest()).map((text) => text.slice(0, 3))).toEqual(["250", "221"]);
  expect(received.map((mail) => mail.wire.toString())).toEqual(["one\r\n", "two\r\n"]);
});

test("a command in two chunks that are read in one turn of the event loop is answered", async () => {
  let accepted: Socket | undefined;
  const note = (message: unknown) => {
    accepted = (message as { socket: Socket }).socket;
  };
  subscribe("net.server.socket", note);
  const talk = await smtpTalk((await startMx()).port);
  unsubscribe("net.server.socket", note);
  for (const part of ["EH", "LO client.test\r\n"]) accepted?.emit("data", Buffer.from(part));
  expect(await talk.reply()).toContain("250-PIPELINING");
  talk.close();
});

test("a client that keeps its side open after QUIT does not keep its place", async () => {
  const { port } = await startMx({ maxConnectionsPerAddress: 1 });
  const first = await SmtpTalk.over(connect({ port, host: "127.0.0.1", allowHalfOpen: true }));
  expect(await first.ask("QUIT")).toBe("221 2.0.0 Bye");
  await vi.waitFor(async () => expect((await smtpTalk(port)).greeting).toMatch(/^220 /), { timeout: 1000 });
  first.socket.destroy();
});

test("a client that sends more after QUIT still gets its replies", async () => {
  const talk = await greetedTalk((await startMx()).port);
  talk.send(`NOOP\r\nQUIT\r\n${"more\r\n".repeat(1000)}`);
  expect((await talk.rest()).map((text) => text.slice(0, 3))).toEqual(["250", "221"]);
});

test("commands out of order are refused and change nothing", async () => {
  const talk = await smtpTalk((await startMx()).port);
  expect(await talk.ask("MAIL FROM:<a@example.org>")).toMatch(/^503 /);
  await talk.ask("EHLO c.test");
  expect(await talk.ask("RCPT TO:<shop@kauke.test>")).toMatch(/^503 /);
  expect(await talk.ask("DATA")).toMatch(/^503 /);
  await talk.ask("MAIL FROM:<a@example.org>");
  expect(await talk.ask("MAIL FROM:<b@example.org>")).toMatch(/^503 /);
  expect(await talk.ask("DATA")).toBe("554 5.5.1 No valid recipients");
  talk.close();
});

test.each([
  ["MAIL FROM:ann@example.org", "501 5.1.7"],
  ["MAIL FROM:<ann@example.org> RET=FULL", "555 5.5.4"],
  ["MAIL FROM:<ann@example.org> BODY=BINARYMIME", "555 5.5.4"],
  ["MAIL FROM:<ann@example.org> SIZE=99999999", "552 5.3.4"],
  ["MAIL FROM:<žemė@example.org>", "553 5.6.7"],
  ["MAIL TO:<a@b.test>", "501 5.5.4"],
  ["FROB", "500 5.5.2"],
  ["AUTH PLAIN", "502 5.5.1"],
  ["STARTTLS", "502 5.5.1"],
  ["VRFY shop", "252 2.5.0"],
])("%s gets the reply %s", async (line, start) => {
  const talk = await smtpTalk((await startMx()).port);
  await talk.ask("EHLO c.test");
  expect(await talk.ask(line)).toMatch(new RegExp(`^${start.replaceAll(".", "\\.")}`));
  talk.close();
});

test("a line without end and repeated errors end the session", async () => {
  const { port } = await startMx();
  const endless = await smtpTalk(port);
  endless.send("X".repeat(10_000));
  expect(await endless.rest()).toEqual(["500 5.5.2 Line too long"]);
  const erring = await smtpTalk(port);
  erring.send("WHAT\r\n".repeat(50));
  expect((await erring.rest()).at(-1)).toBe("421 4.7.0 Too many errors");
});

test("commands that arrive while one is in progress are answered in order, up to 128 KiB of them", async () => {
  let resolveFirst = () => {};
  const resolve: SessionHandlers["resolve"] = async (path) => {
    if (path.local === "slow") await new Promise<void>((done) => void (resolveFirst = done));
    return accept({ kind: "operator", address: path.canonical });
  };
  const { port } = await startMx({ handlers: { ...handlers, resolve } });
  const talk = await greetedTalk(port);
  expect(await talk.ask("MAIL FROM:<a@example.org>")).toMatch(/^250/);
  const recipient = (n: number) => `RCPT TO:<person-with-a-long-name-${n}@some-long-domain.kauke.test>\r\n`;
  const group = Array.from({ length: 1000 }, (_, n) => recipient(n)).join("");
  talk.send(`RCPT TO:<slow@kauke.test>\r\n${group}`);
  await new Promise((done) => setTimeout(done, 200));
  resolveFirst();
  const replies = [];
  for (let count = 0; count < 1001; count++) replies.push(await talk.reply());
  expect(replies.filter((text) => text.startsWith("250"))).toHaveLength(100);
  expect(replies.filter((text) => text.startsWith("452"))).toHaveLength(901);
  const flood = await greetedTalk(port);
  await flood.ask("MAIL FROM:<a@example.org>");
  flood.send(`RCPT TO:<slow@kauke.test>\r\n${group.repeat(3)}`);
  expect(await flood.rest()).toEqual(["421 4.7.0 You sent too much before you had read our answer"]);
});

test("an oversize message is refused after its end, and the session continues", async () => {
  const talk = await greetedTalk((await startMx()).port);
  talk.send("MAIL FROM:<>\r\nRCPT TO:<shop@kauke.test>\r\nDATA\r\n");
  for (let i = 0; i < 3; i++) await talk.reply();
  expect(await talk.ask(`${"line of text\r\n".repeat(1000)}.`)).toBe(
    "552 5.3.4 Message is larger than this host takes",
  );
  expect(await talk.ask("NOOP")).toBe("250 2.0.0 Ok");
  expect(received).toEqual([]);
  talk.close();
});

test("DATA is deferred when memory is short", async () => {
  const talk = await greetedTalk((await startMx({ budget: new MemoryBudget(1000) })).port);
  talk.send("MAIL FROM:<>\r\nRCPT TO:<shop@kauke.test>\r\n");
  for (let i = 0; i < 2; i++) await talk.reply();
  expect(await talk.ask("DATA")).toMatch(/^452 4\.3\.1 /);
  talk.close();
});

test("connections above the limit get a temporary refusal", async () => {
  const { port } = await startMx({ maxConnectionsPerAddress: 1 });
  const first = await smtpTalk(port);
  const second = await smtpTalk(port);
  expect(second.greeting).toMatch(/^421 /);
  first.close();
});

test("idle clients get 421 at shutdown", async () => {
  const { port, server } = await startMx();
  const talk = await greetedTalk(port);
  await server.close(1000);
  expect((await talk.rest()).at(-1)).toMatch(/^421 4\.3\.2 /);
});
