import { getEventListeners } from "node:events";
import { FakeMx, type FakeMxOptions } from "@kauke/testkit/fake-mx";
import { afterEach, describe, expect, test } from "vitest";
import type { SmtpPeer } from "./smtp-client.ts";
import { SmtpPool, type SmtpPoolOptions } from "./smtp-pool.ts";
import type { OutgoingMail } from "./transport.ts";

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function setUp(mxOptions: FakeMxOptions = {}, poolOptions: Partial<SmtpPoolOptions> = {}) {
  const mx = await FakeMx.start(mxOptions);
  const pool = new SmtpPool({ mailHost: "mail.kauke.test", ...poolOptions });
  open.push(
    () => mx.close(),
    () => pool.close(),
  );
  const peer: SmtpPeer = {
    host: "127.0.0.1",
    port: mx.port,
    name: "localhost",
    tls: "opportunistic",
    isVerified: false,
    login: null,
  };
  const send = async (signal?: AbortSignal) => (await pool.send(peer, mail(), signal)).outcome;
  return { mx, pool, peer, send };
}

const mail = (): OutgoingMail => ({
  envelopeFrom: "a@from.example",
  rcptTo: "b@to.example",
  wireParts: [Buffer.from("Subject: hi\r\n\r\nhello\r\n")],
  sizeBytes: 22,
  eightBit: false,
  smtpUtf8: false,
});
const until = async (isSo: () => boolean) => {
  while (!isSo()) await new Promise((done) => setTimeout(done, 2));
};
const times = <T>(count: number, make: () => T) => Array.from({ length: count }, make);
const failed = (code: string) => ({ kind: "deferred", failure: { code } });

describe("keeping connections", () => {
  test("messages one after another share a connection", async () => {
    const { mx, send } = await setUp();
    for (const _ of times(5, () => 0)) expect((await send()).kind).toBe("taken");
    expect(mx.connections).toBe(1);
  });

  test("messages at once use no more connections than allowed, and all arrive", async () => {
    const { mx, send } = await setUp(
      { answer: ({ stage }) => (stage === "body" ? { reply: "250 ok", delayMs: 2 } : undefined) },
      { connectionsPerHost: 3 },
    );
    const outcomes = await Promise.all(times(40, () => send()));
    expect(outcomes.every((it) => it.kind === "taken")).toBe(true);
    expect(mx.messages).toHaveLength(40);
    expect(mx.connections).toBe(3);
  });

  test("many messages may share one signal, and nothing of it stays behind", async () => {
    const { send } = await setUp({}, { connectionsPerHost: 2 });
    const warnings: string[] = [];
    const note = (warning: Error) => warnings.push(warning.name);
    process.on("warning", note);
    const { signal } = new AbortController();
    const outcomes = await Promise.all(times(60, () => send(signal)));
    await new Promise((done) => setImmediate(done));
    process.off("warning", note);
    expect(outcomes.every((it) => it.kind === "taken")).toBe(true);
    expect(warnings).toEqual([]);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  test("a line that is full defers, a signal leaves the line", async () => {
    const hold = { reply: "250 ok", delayMs: 100 };
    const { send } = await setUp(
      { answer: ({ stage }) => (stage === "body" ? hold : undefined) },
      { connectionsPerHost: 1, waitingPerHost: 2 },
    );
    const leaving = new AbortController();
    const first = send();
    const second = send(leaving.signal);
    const third = send();
    expect(await send()).toMatchObject({ kind: "deferred", failure: { code: "try_later", enhancedStatus: "4.4.5" } });
    leaving.abort();
    expect(await second).toMatchObject(failed("timed_out"));
    expect((await Promise.all([first, third])).map((it) => it.kind)).toEqual(["taken", "taken"]);
  });

  test("a resting connection says QUIT after its time", async () => {
    const { mx, send } = await setUp({}, { idleMs: 20 });
    await send();
    await until(() => mx.commands.includes("QUIT"));
    expect((await send()).kind).toBe("taken");
    expect(mx.connections).toBe(2);
  });

  test("a connection that ended while resting is replaced, seen or not", async () => {
    const { mx, send } = await setUp();
    await send();
    mx.dropConnections();
    await until(() => mx.openConnections === 0);
    expect((await send()).kind).toBe("taken");
    // The peer closes at the very moment the next envelope is written.
    mx.options = {
      answer: ({ stage, connection }) => (stage === "mail" && connection === 2 ? { drop: true } : undefined),
    };
    expect((await send()).kind).toBe("taken");
    expect(mx.connections).toBe(3);
    // Or says 421 instead.
    mx.options = {
      answer: ({ stage, connection }) =>
        stage === "mail" && connection === 3 ? { reply: "421 4.3.2 enough", drop: true } : undefined,
    };
    expect((await send()).kind).toBe("taken");
    expect(mx.messages).toHaveLength(4);
  });

  test("it is replaced once only", async () => {
    const { mx, send } = await setUp();
    await send();
    mx.options = { answer: ({ stage }) => (stage === "mail" ? { drop: true } : undefined) };
    expect(await send()).toMatchObject(failed("connection_lost"));
    expect(mx.connections).toBe(2);
  });

  test("lost after the dot is never sent again here", async () => {
    const { mx, send } = await setUp();
    await send();
    mx.options = { answer: ({ stage }) => (stage === "body" ? { drop: true } : undefined) };
    expect(await send()).toMatchObject(failed("connection_lost"));
    expect(mx.commands.filter((it) => it.startsWith("MAIL"))).toHaveLength(2);
  });
});

describe("a host that can't be reached", () => {
  test("is left alone for a while, longer each time, then tried again", async () => {
    let now = 0;
    const refusing: FakeMxOptions = { answer: ({ stage }) => (stage === "greeting" ? "421 4.3.2 down" : undefined) };
    const { mx, send } = await setUp(refusing, { backOffMs: 100, backOffMaxMs: 250, now: () => now });
    const connectionsAfter = async (ms: number) => {
      now += ms;
      expect(await send()).toMatchObject(failed("try_later"));
      return mx.connections;
    };
    expect(await connectionsAfter(0)).toBe(1);
    expect(await connectionsAfter(99)).toBe(1);
    expect(await connectionsAfter(1)).toBe(2);
    expect(await connectionsAfter(199)).toBe(2);
    expect(await connectionsAfter(1)).toBe(3);
    expect(await connectionsAfter(250)).toBe(4);
    mx.options = {};
    now += 250;
    expect((await send()).kind).toBe("taken");
  });

  test("turns everybody in line away at once", async () => {
    const { mx, send } = await setUp(
      { answer: ({ stage }) => (stage === "greeting" ? { reply: "554 no", delayMs: 20 } : undefined) },
      { connectionsPerHost: 1 },
    );
    const outcomes = await Promise.all(times(20, () => send()));
    expect(outcomes.every((it) => it.kind === "deferred" && it.failure.code === "try_later")).toBe(true);
    expect(mx.connections).toBe(1);
  });

  test("an attempt its caller ended says nothing of the host", async () => {
    const { send, mx } = await setUp({
      answer: ({ stage }) => (stage === "greeting" ? { delayMs: 60_000 } : undefined),
    });
    expect(await send(AbortSignal.timeout(20))).toMatchObject(failed("timed_out"));
    mx.options = {};
    expect((await send()).kind).toBe("taken");
  });
});

describe("closing", () => {
  test("resting connections say QUIT, later messages are deferred", async () => {
    const { mx, pool, send } = await setUp();
    await send();
    await pool.close();
    await until(() => mx.commands.includes("QUIT"));
    expect(await send()).toMatchObject({ kind: "deferred" });
  });

  test("a message in hand may finish, who waits in line is deferred", async () => {
    const { pool, send, mx } = await setUp(
      { answer: ({ stage }) => (stage === "body" ? { reply: "250 ok", delayMs: 50 } : undefined) },
      { connectionsPerHost: 1 },
    );
    const running = send();
    const waiting = send();
    await until(() => mx.commands.includes("DATA"));
    await pool.close();
    expect((await running).kind).toBe("taken");
    expect((await waiting).kind).toBe("deferred");
  });

  test("a silent peer doesn't hold up the close", async () => {
    const { pool, send, mx } = await setUp({
      answer: ({ stage }) => (stage === "body" || stage === "greeting" ? { delayMs: 60_000 } : undefined),
    });
    const running = send();
    await until(() => mx.connections === 1);
    await pool.close();
    expect(await running).toMatchObject({ kind: "deferred" });
  });
});
