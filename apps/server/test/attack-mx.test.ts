/** What a hostile or odd client can do to the MX: half-open sockets, floods, slow and tiny chunks, caps by address. */
import { connect } from "node:net";
import { createSecureContext } from "node:tls";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { MemoryBudget } from "@kauke/server/limits/bytes";
import { clientNetwork } from "@kauke/server/limits/party";
import { accept, reply } from "@kauke/server/mail/reply";
import { DataReader } from "@kauke/server/mail/smtp/session-input";
import { startSmtpServer } from "@kauke/testkit/smtp-server";
import { greetedTalk, type SmtpTalk, smtpTalk } from "@kauke/testkit/smtp-talk";
import { testCertificate, testKey } from "@kauke/testkit/test-certificate";
import { expect, test, vi } from "vitest";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const envelope = "MAIL FROM:<a@example.org>\r\nRCPT TO:<shop@kauke.test>\r\nDATA\r\n";

/** Runs a transaction up to the point where the server waits for the message. */
async function inData(talk: SmtpTalk): Promise<void> {
  talk.send(envelope);
  for (const code of ["250", "250", "354"]) expect(await talk.reply()).toContain(code);
}

test("a client that closes its sending side after the final dot still gets the reply that its mail was accepted", async () => {
  const receive = async () => {
    await new Promise((resolve) => setTimeout(resolve, 200));
    return reply(250, "2.0.0", "Ok kept");
  };
  const { port } = await startSmtpServer({ handlers: { resolve: async () => accept({ kind: "paused" }), receive } });
  for (const last of ["", "QUIT\r\n"]) {
    const talk = await greetedTalk(port);
    await inData(talk);
    talk.socket.end(`Subject: x\r\n\r\nhi\r\n.\r\n${last}`);
    expect((await talk.rest())[0]).toBe("250 2.0.0 Ok kept");
  }
});

test("a client beyond the cap is disconnected, whether or not it ever closes its side", async () => {
  const { port } = await startSmtpServer({ maxConnections: 1 });
  const first = await smtpTalk(port);
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  socket.write("EHLO c.test\r\n");
  const gone = new Promise<boolean>((resolve) => {
    socket.on("error", () => {});
    socket.resume().on("close", () => resolve(true));
    setTimeout(() => resolve(false), 6000);
  });
  socket.on("end", () => {
    // After the server has closed its side, this client keeps its own side open and goes on sending commands.
    const talk = setInterval(() => socket.write("NOOP\r\n"), 200);
    socket.on("close", () => clearInterval(talk));
  });
  expect(await gone).toBe(true);
  first.close();
});

test("what a client sends after the server's goodbye is not buffered", async () => {
  const { port } = await startSmtpServer();
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  socket.on("error", () => {}).resume();
  socket.write("QUIT\r\n");
  await new Promise((resolve) => setTimeout(resolve, 100));
  collectGarbage();
  const before = process.memoryUsage().arrayBuffers;
  const block = Buffer.alloc(1 << 20, 0x61);
  for (let sent = 0; sent < 150; sent++) {
    if (socket.destroyed) break;
    if (!socket.write(block)) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  // The runtime frees buffers on another thread, some time after a garbage collection, so memory use is polled.
  const held = () => {
    collectGarbage();
    return process.memoryUsage().arrayBuffers - before - socket.writableLength;
  };
  await expect.poll(held, { timeout: 30_000 }).toBeLessThan(20 << 20);
  socket.destroy();
});

test("connections of one IPv6 network share a cap, each IPv4 address has its own", () => {
  expect(clientNetwork("2001:db8:1:2:aaaa::1")).toBe(clientNetwork("2001:db8:1:2::9"));
  expect(clientNetwork("2001:db8:1:2::9")).toBe(clientNetwork("2001:0db8:0001:0002:1:2:3:4"));
  expect(clientNetwork("2001:db8:1:3::9")).not.toBe(clientNetwork("2001:db8:1:2::9"));
  expect(clientNetwork("::ffff:192.0.2.1")).toBe("192.0.2.1");
  expect(clientNetwork("192.0.2.1")).not.toBe(clientNetwork("192.0.2.2"));
  expect(clientNetwork("fe80::1%eth0")).toBe(clientNetwork("fe80::2%eth0"));
});

test("a message in chunks of one byte takes no more memory than one sent at once", () => {
  const budget = new MemoryBudget(10_000_000);
  const reader = new DataReader(5_000_000, budget);
  collectGarbage();
  const before = process.memoryUsage();
  const bytes = 1_000_000;
  for (let sent = 0; sent < bytes; sent++)
    reader.push(Buffer.from(sent % 70 === 69 ? "\n" : sent % 70 === 68 ? "\r" : "x"));
  collectGarbage();
  const after = process.memoryUsage();
  const grown = after.heapUsed + after.external - before.heapUsed - before.external;
  expect(budget.usedBytes).toBe(bytes);
  expect(grown).toBeLessThan(40 * bytes);
  const { result } = reader.push(Buffer.from("\r\n.\r\n")) as { result: { kind: string; bytes: Buffer } };
  expect(result.kind).toBe("message");
  expect(result.bytes.length).toBe(bytes + 2);
  reader.release();
  expect(budget.usedBytes).toBe(0);
});

test("one client's messages can't use up the process' memory budget for mail", async () => {
  const { port, budget } = await startSmtpServer({ maxBytesPerAddress: 2_000_000 });
  const talks = [await greetedTalk(port), await greetedTalk(port), await greetedTalk(port)] as const;
  const begin = async (talk: SmtpTalk) => {
    await inData(talk);
    talk.send(Buffer.alloc(900_000, "x\r\n"));
  };
  const [first, second, third] = talks;
  await begin(first);
  await vi.waitFor(() => expect(budget.usedBytes).toBe(900_000));
  await begin(second);
  await vi.waitFor(() => expect(budget.usedBytes).toBe(1_800_000));
  await begin(third);
  expect(await third.ask("\r\n.")).toMatch(/^452 4\.3\.1 /);
  expect(await first.ask("\r\n.")).toMatch(/^250 /);
  for (const talk of talks) talk.close();
  await vi.waitFor(() => expect(budget.usedBytes).toBe(0));
});

test("the memory budget is fully returned however a client disconnects", async () => {
  const { port, budget, sessions } = await startSmtpServer();
  const leave: ((talk: Awaited<ReturnType<typeof smtpTalk>>) => void)[] = [
    (talk) => talk.close(),
    (talk) => talk.socket.resetAndDestroy(),
    (talk) => void talk.socket.end(),
    (talk) => talk.send("\r\n.\r\nQUIT\r\n"),
    (talk) => talk.send("\n.\nMAIL FROM:<x@y.test>\r\n.\r\nQUIT\r\n"),
    (talk) => talk.send(`${"x".repeat(2_000_000)}\r\n.\r\nQUIT\r\n`),
  ];
  for (const how of leave) {
    const talk = await greetedTalk(port);
    await inData(talk);
    talk.send("x".repeat(200_000));
    await vi.waitFor(() => expect(budget.usedBytes).toBeGreaterThan(190_000));
    how(talk);
    await vi.waitFor(() => expect([budget.usedBytes, sessions()]).toEqual([0, 0]), { timeout: 4000 });
    talk.close();
  }
});

test("sessions under TLS are counted down too, and commands sent in clear behind STARTTLS are not executed", async () => {
  const context = createSecureContext({ cert: testCertificate, key: testKey });
  const { port, sessions } = await startSmtpServer({ tls: { context: () => context, isImplicit: false } });
  const talk = await smtpTalk(port);
  await talk.ask("EHLO c.test");
  expect(await talk.ask("STARTTLS")).toMatch(/^220 /);
  await talk.startTls();
  expect(await talk.ask("MAIL FROM:<a@example.org>")).toMatch(/^503 /);
  expect(await talk.ask("EHLO c.test")).not.toContain("STARTTLS");
  talk.close();
  await vi.waitFor(() => expect(sessions()).toBe(0));
  const injector = await smtpTalk(port);
  injector.send("EHLO c.test\r\n");
  await injector.reply();
  injector.send("STARTTLS\r\nMAIL FROM:<evil@example.org>\r\nRCPT TO:<shop@kauke.test>\r\n");
  expect(await injector.reply()).toMatch(/^220 /);
  await injector.startTls();
  expect(await injector.ask("EHLO c.test")).toMatch(/^250-mail/);
  expect(await injector.ask("RCPT TO:<shop@kauke.test>")).toMatch(/^503 /);
  injector.close();
  await vi.waitFor(() => expect(sessions()).toBe(0));
});

test("a client that only keeps its connection busy is disconnected", async () => {
  const { port } = await startSmtpServer();
  const talk = await greetedTalk(port);
  talk.send("NOOP\r\nRSET\r\nNOOP\r\nVRFY x\r\n".repeat(400));
  expect((await talk.rest()).at(-1)).toMatch(/^421 4\.7\.0 /);
});
