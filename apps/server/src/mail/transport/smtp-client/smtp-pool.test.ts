import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { getEventListeners } from "node:events";
import type { Socket } from "node:net";
import { closeAfterEach } from "@kauke/testkit/close-after-each";
import { FakeMx, type FakeMxOptions } from "@kauke/testkit/fakes/fake-mx";
import { describe, expect, test } from "vitest";
import { endingBy, outgoingMail as mail, ongoingAttempt } from "../outgoing-mail.testing.ts";
import type { SmtpPoolOptions } from "./pool-host.ts";
import type { SmtpPeer } from "./smtp-client.ts";
import { SmtpPool } from "./smtp-pool.ts";

const open = closeAfterEach();

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
  const send = async (attempt = ongoingAttempt()) => (await pool.send(peer, mail(), attempt)).outcome;
  return { mx, pool, peer, send };
}

const until = async (isSo: () => boolean) => {
  while (!isSo()) await new Promise((done) => setTimeout(done, 2));
};
const times = <T>(count: number, make: () => T) => Array.from({ length: count }, make);
const failed = (code: string) => ({ kind: "deferred", failure: { code } });

test("an idle connection that is lost between its choice and its use is counted once", async () => {
  const sockets: Socket[] = [];
  const note = (message: unknown) => void sockets.push((message as { socket: Socket }).socket);
  subscribe("net.client.socket", note);
  const { mx, send } = await setUp({}, { connectionsPerHost: 1 });
  await send();
  unsubscribe("net.client.socket", note);
  const second = send();
  sockets[0]?.emit("end");
  expect(await second).toEqual({ kind: "taken" });
  await Promise.all([send(), send(), send()]);
  expect(mx.connections).toBe(2);
});

describe("hosts of one provider", () => {
  async function twoHosts(options: Partial<SmtpPoolOptions>, answer?: FakeMxOptions["answer"]) {
    const { mx, pool, peer } = await setUp(answer === undefined ? {} : { answer }, options);
    const second = await FakeMx.start({
      host: "127.0.0.2",
      port: mx.port,
      ...(answer === undefined ? {} : { answer }),
    });
    open.push(() => second.close());
    const to = (host: string) => ({ ...peer, host, provider: "provider.example" });
    const send = async (host: string) => (await pool.send(to(host), mail(), ongoingAttempt())).outcome.kind;
    return { mx, second, send };
  }

  test("share its connections, and messages waiting for any of them are served", async () => {
    let busy = 0;
    let most = 0;
    const { mx, second, send } = await twoHosts({ connectionsPerProvider: 3 }, async ({ stage }) => {
      if (stage !== "body") return undefined;
      most = Math.max(most, ++busy);
      await new Promise((done) => setTimeout(done, 3));
      busy--;
      return undefined;
    });
    const outcomes = await Promise.all(times(40, () => 0).map((_, index) => send(`127.0.0.${1 + (index % 2)}`)));
    expect(outcomes.every((kind) => kind === "taken")).toBe(true);
    expect(most).toBeLessThanOrEqual(3);
    expect([mx.messages.length, second.messages.length]).toEqual([20, 20]);
    expect(mx.openConnections + second.openConnections).toBeLessThanOrEqual(4);
  });

  test("share one host's connections when many providers' names lead to the same address", async () => {
    const { mx, pool, peer } = await setUp(
      { answer: ({ stage }) => (stage === "body" ? { reply: "250 ok", delayMs: 5 } : undefined) },
      { connectionsPerHost: 2 },
    );
    const named = (index: number) => ({ ...peer, name: `mx.p${index}.example`, provider: `p${index}.example` });
    await Promise.all(times(12, () => 0).map((_, index) => pool.send(named(index), mail(), ongoingAttempt())));
    expect([mx.messages.length, mx.connections]).toEqual([12, 2]);
  });

  test("an idle connection to one is closed for a message to another", async () => {
    const { mx, second, send } = await twoHosts({ connectionsPerProvider: 1 });
    expect([await send("127.0.0.1"), await send("127.0.0.2")]).toEqual(["taken", "taken"]);
    await until(() => mx.openConnections === 0);
    expect(second.openConnections).toBe(1);
  });
});

describe("reusing connections", () => {
  test("successive messages share a connection", async () => {
    const { mx, send } = await setUp();
    for (const _ of times(5, () => 0)) expect((await send()).kind).toBe("taken");
    expect(mx.connections).toBe(1);
  });

  test("a connection is closed after its maximum of messages, also while others wait for it", async () => {
    const { mx, send } = await setUp({}, { messagesPerConnection: 3, connectionsPerHost: 2 });
    const outcomes = await Promise.all(times(10, () => send()));
    expect(outcomes.every((it) => it.kind === "taken")).toBe(true);
    const carried = Map.groupBy(mx.messages, ({ connection }) => connection);
    expect(Math.max(...[...carried.values()].map((messages) => messages.length))).toBe(3);
    expect(mx.commands.filter((line) => line === "QUIT").length).toBeGreaterThan(1);
  });

  test("concurrent messages use no more connections than allowed, and all arrive", async () => {
    const { mx, send } = await setUp(
      { answer: ({ stage }) => (stage === "body" ? { reply: "250 ok", delayMs: 2 } : undefined) },
      { connectionsPerHost: 3 },
    );
    const outcomes = await Promise.all(times(40, () => send()));
    expect(outcomes.every((it) => it.kind === "taken")).toBe(true);
    expect(mx.messages).toHaveLength(40);
    expect(mx.connections).toBe(3);
  });

  test("many messages may share one signal, and no listener is left on it", async () => {
    const { send } = await setUp({}, { connectionsPerHost: 2 });
    const warnings: string[] = [];
    const note = (warning: Error) => warnings.push(warning.name);
    process.on("warning", note);
    const { signal } = new AbortController();
    const outcomes = await Promise.all(times(60, () => send(endingBy(signal))));
    await new Promise((done) => setImmediate(done));
    process.off("warning", note);
    expect(outcomes.every((it) => it.kind === "taken")).toBe(true);
    expect(warnings).toEqual([]);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  test("a full queue defers the message, an aborted one leaves the queue", async () => {
    const hold = { reply: "250 ok", delayMs: 100 };
    const { send } = await setUp(
      { answer: ({ stage }) => (stage === "body" ? hold : undefined) },
      { connectionsPerHost: 1, waitingPerHost: 2 },
    );
    const leaving = new AbortController();
    const first = send();
    const second = send(endingBy(leaving.signal));
    const third = send();
    expect(await send()).toMatchObject({ kind: "deferred", failure: { code: "try_later", enhancedStatus: "4.4.5" } });
    leaving.abort();
    expect(await second).toMatchObject(failed("timed_out"));
    expect((await Promise.all([first, third])).map((it) => it.kind)).toEqual(["taken", "taken"]);
  });

  test("an idle connection ends with QUIT after its timeout", async () => {
    const { mx, send } = await setUp({}, { idleMs: 20 });
    await send();
    await until(() => mx.commands.includes("QUIT"));
    expect((await send()).kind).toBe("taken");
    expect(mx.connections).toBe(2);
  });

  test("a connection that was lost while idle is replaced, noticed or not", async () => {
    const { mx, send } = await setUp();
    await send();
    mx.dropConnections();
    await until(() => mx.openConnections === 0);
    expect((await send()).kind).toBe("taken");
    // The peer closes the connection just when the next envelope is written.
    mx.options = {
      answer: ({ stage, connection }) => (stage === "mail" && connection === 2 ? { drop: true } : undefined),
    };
    expect((await send()).kind).toBe("taken");
    expect(mx.connections).toBe(3);
    // The peer sends 421 instead of closing.
    mx.options = {
      answer: ({ stage, connection }) =>
        stage === "mail" && connection === 3 ? { reply: "421 4.3.2 enough", drop: true } : undefined,
    };
    expect((await send()).kind).toBe("taken");
    expect(mx.messages).toHaveLength(4);
  });

  test("a lost idle connection is replaced only once per message", async () => {
    const { mx, send } = await setUp();
    await send();
    mx.options = { answer: ({ stage }) => (stage === "mail" ? { drop: true } : undefined) };
    expect(await send()).toMatchObject(failed("connection_lost"));
    expect(mx.connections).toBe(2);
  });

  test("a message lost after the dot is not sent again by the pool", async () => {
    const { mx, send } = await setUp();
    await send();
    mx.options = { answer: ({ stage }) => (stage === "body" ? { drop: true } : undefined) };
    expect(await send()).toMatchObject(failed("connection_lost"));
    expect(mx.commands.filter((it) => it.startsWith("MAIL"))).toHaveLength(2);
  });
});

describe("a host that can't be reached", () => {
  test("is tried again after a back-off that grows each time", async () => {
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

  test("fails all waiting messages at once", async () => {
    const { mx, send } = await setUp(
      { answer: ({ stage }) => (stage === "greeting" ? { reply: "554 no", delayMs: 20 } : undefined) },
      { connectionsPerHost: 1 },
    );
    const outcomes = await Promise.all(times(20, () => send()));
    expect(outcomes.every((it) => it.kind === "deferred" && it.failure.code === "try_later")).toBe(true);
    expect(mx.connections).toBe(1);
  });

  test("is not assumed when the caller aborted the attempt", async () => {
    const { send, mx } = await setUp({
      answer: ({ stage }) => (stage === "greeting" ? { delayMs: 60_000 } : undefined),
    });
    expect(await send(endingBy(AbortSignal.timeout(20)))).toMatchObject(failed("timed_out"));
    mx.options = {};
    expect((await send()).kind).toBe("taken");
  });
});

describe("closing", () => {
  test("ends idle connections with QUIT and defers later messages", async () => {
    const { mx, pool, send } = await setUp();
    await send();
    await pool.close();
    await until(() => mx.commands.includes("QUIT"));
    expect(await send()).toMatchObject({ kind: "deferred" });
  });

  test("lets a message in progress finish and defers those that wait", async () => {
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

  test("does not wait for a peer that does not reply", async () => {
    const { pool, send, mx } = await setUp({
      answer: ({ stage }) => (stage === "body" || stage === "greeting" ? { delayMs: 60_000 } : undefined),
    });
    const running = send();
    await until(() => mx.connections === 1);
    await pool.close();
    expect(await running).toMatchObject({ kind: "deferred" });
  });
});

describe("fair shares of a host", () => {
  const ofParty = (party: string) => ongoingAttempt({ party });
  const slowBody: FakeMxOptions = {
    answer: ({ stage }) => (stage === "body" ? { reply: "250 ok", delayMs: 30 } : undefined),
  };

  test("a party's single message is sent before the hundredth of another party", async () => {
    const { send } = await setUp(slowBody, { connectionsPerHost: 1 });
    const order: string[] = [];
    const tell = (party: string) => send(ofParty(party)).then(() => order.push(party));
    await Promise.all([...times(6, () => tell("busy")), tell("other")]);
    expect(order.indexOf("other")).toBe(2);
  });

  test("names for one address share its connections, unless the certificate is verified by name", async () => {
    const { mx, pool, peer } = await setUp(slowBody, { connectionsPerHost: 2 });
    await Promise.all(
      times(8, () => 0).map((_, index) => pool.send({ ...peer, name: `n${index}.example` }, mail(), ongoingAttempt())),
    );
    expect(mx.messages).toHaveLength(8);
    expect(mx.connections).toBe(2);
    await pool.send({ ...peer, name: "proven.example", isVerified: true }, mail(), ongoingAttempt());
    expect(mx.connections).toBe(3);
  });

  /** A host that never answers the messages on its first connections. */
  const silentAt = (connections: number): FakeMxOptions => ({
    answer: ({ stage, connection }) =>
      stage === "body" && connection <= connections ? { reply: "250 late", delayMs: 60_000 } : undefined,
  });
  const stopped = (party: string) => ongoingAttempt({ party, signal: AbortSignal.timeout(8000) });

  test("a party without a connection gets an extra one once the others have held theirs for a second", async () => {
    let now = 0;
    const { mx, send } = await setUp(silentAt(2), { connectionsPerHost: 2, now: () => now });
    const stop = new AbortController();
    const busy = times(4, () => send(ongoingAttempt({ party: "busy", signal: stop.signal })));
    await until(() => mx.connections === 2);
    const other = send(ofParty("other"));
    await new Promise((done) => setTimeout(done, 600));
    // Control: connections that were just taken are waited for.
    expect(mx.connections).toBe(2);
    now += 1000;
    expect((await other).kind).toBe("taken");
    expect((await send(ofParty("third"))).kind).toBe("taken");
    // An extra connection is closed after its message: messages of the busy party wait, and must not get it.
    await until(() => mx.openConnections === 2);
    stop.abort();
    expect((await Promise.all(busy)).map((it) => it.kind)).toEqual(times(4, () => "deferred"));
  });

  test("a connection that waits long for the reply leaves the shared ones, up to a number for each party", async () => {
    let now = 0;
    const { mx, send } = await setUp(silentAt(6), { connectionsPerHost: 4, lateMs: 30_000, now: () => now });
    const late = times(5, () => send(stopped("late")));
    await until(() => mx.commands.filter((it) => it === "DATA").length === 4);
    // The pool sees that the messages are sent, and 30 seconds later that they have no reply.
    await new Promise((done) => setTimeout(done, 600));
    expect(mx.connections).toBe(4);
    now += 30_000;
    // The fifth message returns to the queue, untried, and so does every further one.
    expect(await late[4]).toMatchObject({ kind: "deferred", isUntried: true });
    expect(await send(ofParty("late"))).toMatchObject({ kind: "deferred", isUntried: true });
    const others = times(2, () => send(stopped("other")));
    await until(() => mx.connections === 6);
    expect((await Promise.all(times(4, () => send(ofParty("third"))))).map((it) => it.kind)).toEqual(
      times(4, () => "taken"),
    );
    expect(mx.connections).toBeGreaterThan(6);
    mx.dropConnections();
    expect((await Promise.all([...late, ...others])).map((it) => it.kind)).toEqual(times(7, () => "deferred"));
    // Once they have ended, the party is served again.
    expect((await send(ofParty("late"))).kind).toBe("taken");
  });

  test("accounts of one network take turns with the account of another", async () => {
    const { send } = await setUp(slowBody, { connectionsPerHost: 2 });
    const order: string[] = [];
    const tell = (party: string, network: string) =>
      send(ongoingAttempt({ party, network })).then(() => order.push(party));
    const crowd = times(8, () => "").map((_, index) => tell(`crowd${index}`, "a"));
    const alone = times(3, () => tell("alone", "b"));
    await Promise.all([...crowd, ...alone]);
    expect(order.slice(2, 8).filter((it) => it === "alone")).toHaveLength(3);
  });

  test("idle connections to all hosts are limited: the oldest is closed", async () => {
    const { mx, pool, peer } = await setUp({}, { idleMax: 2 });
    for (const name of ["one", "two", "three"])
      await pool.send({ ...peer, name, isVerified: true }, mail(), ongoingAttempt());
    await until(() => mx.openConnections === 2);
    expect(mx.commands.filter((it) => it === "QUIT")).toHaveLength(1);
  });

  test("the attempt learns when the message waits for a connection, and when its end is sent", async () => {
    const { send } = await setUp(slowBody, { connectionsPerHost: 1 });
    const events: string[] = [];
    const attempt = ongoingAttempt({
      wait: (isWaiting: boolean) => void events.push(isWaiting ? "waits" : "continues"),
      sendEnd: () => void events.push("sent"),
    });
    await Promise.all([send(), send(attempt)]);
    expect(events).toEqual(["waits", "continues", "sent"]);
  });
});
