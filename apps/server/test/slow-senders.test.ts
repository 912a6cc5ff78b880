/** Clients that send before their turn, or as slowly as they can: they are disconnected, so that others are served. */
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { MemoryBudget } from "@kauke/server/limits/bytes";
import { reply } from "@kauke/server/mail/reply";
import type { SessionHandlers } from "@kauke/server/mail/smtp/session-handlers";
import { SmtpSession } from "@kauke/server/mail/smtp/smtp-session";
import { acceptAll, type SmtpServerStart, startSmtpServer } from "@kauke/testkit/smtp-server";
import { greetedTalk, type SmtpTalk, smtpTalk } from "@kauke/testkit/smtp-talk";
import { beforeEach, describe, expect, test, vi } from "vitest";

let received = 0;

const handlers: SessionHandlers = {
  ...acceptAll,
  receive: async () => {
    received++;
    return reply(250, "2.0.0", "Ok kept");
  },
};

beforeEach(() => {
  received = 0;
});

function startMx(options: SmtpServerStart = {}) {
  return startSmtpServer({ maxConnections: 100, maxConnectionsPerAddress: 100, handlers, ...options });
}

const envelope = "MAIL FROM:<a@example.org>\r\nRCPT TO:<shop@kauke.test>\r\nDATA\r\n";

/**
 * Runs a transaction up to the point where the server waits for the message. @returns false if the server defers it
 * (452)
 */
async function inData(talk: SmtpTalk): Promise<boolean> {
  talk.send(envelope);
  const answers = [await talk.reply(), await talk.reply(), await talk.reply()];
  return answers[2]?.startsWith("354") ?? false;
}

/** Sends a chunk again and again until the server closes the connection. @returns every reply until then */
async function trickle(talk: SmtpTalk, piece: string): Promise<string[]> {
  const timer = setInterval(() => talk.send(piece), 10);
  const answers = await talk.rest();
  clearInterval(timer);
  return answers;
}

describe("a client that does not wait for its turn", () => {
  test("is refused when it sends before the greeting", async () => {
    // The client's bytes arrive before the server begins the session, as when a script sends everything right after the
    // TCP handshake.
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const client = connect((server.address() as { port: number }).port, "127.0.0.1");
    client.write("EHLO spam.example\r\nMAIL FROM:<a@example.org>\r\n");
    const [socket] = (await once(server, "connection")) as [Socket];
    await vi.waitFor(() => expect(socket.bytesRead).toBeGreaterThan(0));
    const common = { mailHost: "mail.kauke.test", maxMessageBytes: 1000, upgrade: null, handlers, nowMs: () => 0 };
    new SmtpSession(socket, { ...common, budget: new MemoryBudget(1000), isClosing: () => false });
    let heard = "";
    for await (const chunk of client) heard += String(chunk);
    expect(heard).toBe("554 5.5.0 You sent more before you had read our answer\r\n");
    server.close();
  });

  test("and one that waits is greeted at once", async () => {
    const { port } = await startMx();
    const waits: number[] = [];
    for (let asked = 0; asked < 20; asked++) {
      const began = performance.now();
      const talk = await smtpTalk(port);
      waits.push(performance.now() - began);
      expect(talk.greeting).toBe("220 mail.kauke.test ESMTP Kauke");
      talk.close();
    }
    expect(Math.min(...waits)).toBeLessThan(50);
  });

  test.each([
    ["pipelines before EHLO has offered PIPELINING", `EHLO c.test\r\n${envelope}`, []],
    ["sends the message together with DATA", `EHLO|${envelope}Subject: x\r\n\r\nhi\r\n.\r\nQUIT\r\n`, ["250", "250"]],
    ["pipelines after HELO", `HELO|${envelope}`, []],
    ["pipelines without HELO or EHLO", envelope, []],
  ])("is refused when it %s", async (_how, sent, answered) => {
    const { port } = await startMx();
    const talk = await smtpTalk(port);
    const [hello, rest] = sent.includes("|") ? sent.split("|") : [null, sent];
    if (hello !== null) expect(await talk.ask(`${hello} c.test`)).toMatch(/^250/);
    talk.send(rest as string);
    const answers = await talk.rest();
    expect(answers.map((it) => it.slice(0, 3))).toEqual([...answered, "554"]);
    expect(answers.at(-1)).toMatch(/^554 5\.5\.0 /);
    expect(received).toBe(0);
  });

  test("control: commands are accepted one by one after HELO, in a group after EHLO", async () => {
    const { port } = await startMx();
    const old = await smtpTalk(port);
    for (const line of ["HELO c.test", ...envelope.trim().split("\r\n")]) expect(await old.ask(line)).toMatch(/^[23]/);
    expect(await old.ask("hi\r\n.")).toMatch(/^250 /);
    const modern = await greetedTalk(port);
    expect(await inData(modern)).toBe(true);
    expect(await modern.ask("hi\r\n.")).toMatch(/^250 /);
    expect(received).toBe(2);
    old.close();
    modern.close();
  });

  test("and one that sends only unknown commands is disconnected after twenty", async () => {
    const { port } = await startMx();
    const talk = await greetedTalk(port);
    talk.send("FROB\r\n".repeat(30));
    const answers = await talk.rest();
    expect(answers.map((it) => it.slice(0, 3))).toEqual([...Array.from({ length: 20 }, () => "500"), "421"]);
  });
});

describe("a slow client", () => {
  test("is disconnected when it sends nothing, between commands and within a message", async () => {
    const { port, budget } = await startMx({ times: { idleMs: 100 } });
    const [idle, stuck] = [await greetedTalk(port), await greetedTalk(port)];
    await inData(stuck);
    stuck.send("x".repeat(5000));
    expect(await idle.rest()).toEqual(["421 4.4.2 Waited too long"]);
    expect(await stuck.rest()).toEqual(["421 4.4.2 Waited too long"]);
    expect(budget.usedBytes).toBe(0);
  });

  test("is disconnected when a command never ends, byte by byte", async () => {
    const { port, reasons } = await startMx({ times: { lineMs: 150, sweepMs: 20 } });
    expect(await trickle(await greetedTalk(port), "x")).toEqual(["421 4.4.2 Waited too long"]);
    expect(reasons).toEqual(["line"]);
  });

  test("is disconnected when a message never ends, byte by byte", async () => {
    const { port, budget, reasons } = await startMx({ times: { dataMs: 150, sweepMs: 20 } });
    const talk = await greetedTalk(port);
    await inData(talk);
    expect(await trickle(talk, "x")).toEqual(["421 4.4.2 Waited too long"]);
    expect(reasons).toEqual(["data"]);
    expect(budget.usedBytes).toBe(0);
  });

  test("is disconnected when it keeps sending commands and no mail", async () => {
    const { port, reasons } = await startMx({ times: { withoutMailMs: 150, sweepMs: 20 } });
    const answers = await trickle(await greetedTalk(port), "NOOP\r\n");
    expect(answers.at(-1)).toBe("421 4.4.2 Waited too long");
    expect(answers[0]).toBe("250 2.0.0 Ok");
    expect(reasons).toEqual(["no_mail"]);
  });

  test("is not disconnected while it waits for us", async () => {
    const receive = async () => {
      await new Promise((done) => setTimeout(done, 200));
      return reply(250, "2.0.0", "Ok kept");
    };
    const times = { lineMs: 50, dataMs: 50, withoutMailMs: 50, sweepMs: 10 };
    const { port, reasons } = await startMx({ times, handlers: { ...handlers, receive } });
    const talk = await greetedTalk(port);
    expect(await inData(talk)).toBe(true);
    expect(await talk.ask("hi\r\n.")).toMatch(/^250 /);
    expect(reasons).toEqual([]);
    talk.close();
  });
});

describe("when slow messages fill the memory", () => {
  const each = 190_000;
  const room = 1_000_000;

  async function fillSlowly(slowBytesPerSecond: number) {
    const times = { slowAfterMs: 300, slowBytesPerSecond };
    const it = await startMx({ budget: new MemoryBudget(room), maxBytesPerAddress: 2 * room, times });
    const talks: SmtpTalk[] = [];
    for (let begun = 1; begun <= 5; begun++) {
      const talk = await greetedTalk(it.port);
      expect(await inData(talk)).toBe(true);
      talk.send(Buffer.alloc(each, "line of text\r\n"));
      await vi.waitFor(() => expect(it.budget.usedBytes).toBe(begun * each), { interval: 2 });
      talks.push(talk);
    }
    return { ...it, talks };
  }

  /**
   * Attempts to send a message as a mail host does. @returns `452` if the server defers it, so that the caller tries
   * again; otherwise the reply to the final dot
   */
  async function sendNormally(port: number): Promise<string> {
    const talk = await greetedTalk(port);
    try {
      if (!(await inData(talk))) return "452";
      return await talk.ask(`${"x".repeat(150_000)}\r\n.`);
    } finally {
      talk.close();
    }
  }

  test("the slowest of them are evicted, a normal sender is served, and the others finish", async () => {
    const { port, talks, budget, reasons } = await fillSlowly(5_000_000);
    await vi.waitFor(async () => expect(await sendNormally(port)).toMatch(/^250 /), { timeout: 10_000, interval: 100 });
    const gone = reasons.filter((why) => why === "memory").length;
    expect(gone).toBeGreaterThan(0);
    expect(gone).toBeLessThan(talks.length);
    const ends = await Promise.all(talks.map((talk) => talk.ask("\r\n.").catch(() => "gone")));
    const shown = "421 4.3.1 Too little memory for so slow a message, please try again later";
    // All of these messages have the same size, so the one that was begun first is the slowest and is evicted first.
    const expected = talks.map((_, index) => (index < gone ? shown : "250 2.0.0 Ok kept"));
    expect(ends).toEqual(expected);
    for (const talk of talks) talk.close();
    await vi.waitFor(() => expect(budget.usedBytes).toBe(0));
  });

  test("control: if none counts as slow, a normal sender has to wait", async () => {
    const { port, talks, reasons } = await fillSlowly(0);
    const until = performance.now() + 1500;
    while (performance.now() < until) {
      expect(await sendNormally(port)).toMatch(/^452/);
      await new Promise((done) => setTimeout(done, 100));
    }
    expect(reasons).toEqual([]);
    for (const talk of talks) talk.close();
  });
});
