/**
 * Attacks that fill a table which others need, or that grow a table without end: the limit of each, and which rows are
 * evicted.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { limits } from "@kauke/contract";
import { parsePath } from "@kauke/mail-rfc";
import { startTestServer, type TestServer, Visitor } from "@kauke/server/http/test/test-server";
import { bounds } from "@kauke/server/limits/table";
import { readBounceAddress } from "@kauke/server/mail/message/bounce-address";
import { ReplyBook } from "@kauke/server/mail/message/reply-book";
import { changeSignals } from "@kauke/server/store/change-signals";
import { openInMemory } from "@kauke/server/store/embedded/embedded-database";
import { runMigrations, underStartLock } from "@kauke/server/store/migrate";
import { wholeExport } from "@kauke/server/store/rows/accounts/account-export.testing";
import { releasedAddresses } from "@kauke/server/store/rows/accounts/released-addresses";
import { aliasStore } from "@kauke/server/store/rows/aliases/aliases";
import { walletChallengeStore } from "@kauke/server/store/rows/sign-in/anonymous-tokens";
import { anAlias } from "@kauke/server/store/rows.testing";
import { hmacPurposes, serverKeys } from "@kauke/server/store/sealing/server-keys";
import { startForwardingSystem } from "@kauke/testkit/forwarding-system";
import { isLongRun } from "@kauke/testkit/long-rounds";
import { registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { startSystem, type TestSystem } from "@kauke/testkit/system";
import { makeWalletKey, proveWallet } from "@kauke/testkit/wallet-key";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ config: { trustedProxies: ["127.0.0.1"] } });
});
afterAll(() => server.close());

const closers: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closers) await close();
});

async function openTables() {
  const database = await openInMemory();
  closers.push(() => database.close());
  await underStartLock(database.db, (trx) => runMigrations(trx, new Date()));
  const keys = serverKeys(
    ["seal", ...hmacPurposes].map((purpose, at) => ({ id: at + 1, purpose, bytes: randomBytes(32) })),
  );
  const context = { db: database.db, keys, clock: server.clock, signals: changeSignals({ notify: false }) };
  return { db: database.db, context };
}

/** Creates a visitor whose requests come from this network, IPv4 or IPv6, through a trusted proxy. */
function visitorFrom(network: string, at = server): Visitor {
  const visitor = new Visitor(at);
  visitor.address = "127.0.0.1";
  const send = visitor.send.bind(visitor);
  visitor.send = (options) => send({ ...options, headers: { ...options.headers, "x-forwarded-for": network } });
  return visitor;
}

describe("limits per network", () => {
  const register = async (network: string) =>
    (
      await visitorFrom(network).call("register", {
        body: { email: `${randomUUID()}@example.org`, password: "correct horse" },
      })
    ).status;

  async function statuses(networks: readonly string[], each: number): Promise<number[]> {
    const all: number[] = [];
    for (const network of networks) for (let tried = 0; tried < each; tried++) all.push(await register(network));
    return all;
  }
  const made = (all: readonly number[]) => all.filter((status) => status === 201).length;

  test("the 65,536 networks of a /48 have eight times the limit of one, and the next /48 its own", async () => {
    const networks = Array.from({ length: 12 }, (_, n) => `2001:db8:1:${n.toString(16)}::7`);
    expect(made(await statuses(networks, 10))).toBe(80);
    expect(await register("2001:db8:2::7")).toBe(201);
  });

  test("the addresses of a /24 have sixteen times the limit of one: a university is not locked out", async () => {
    const networks = Array.from({ length: 18 }, (_, n) => `198.51.100.${n}`);
    expect(made(await statuses(networks, 10))).toBe(160);
    expect(await register("203.0.113.1")).toBe(201);
  });

  test("an address that is over its own limit uses up nothing of its neighbours' limits", async () => {
    expect(made(await statuses(["192.0.2.1"], 100))).toBe(10);
    expect(await register("192.0.2.2")).toBe(201);
  });
});

describe("challenges of wallets", () => {
  const openMax = 40;

  async function flooded(network: (n: number) => string) {
    const { db, context } = await openTables();
    const small = await startTestServer({
      store: server.store,
      clock: server.clock,
      config: { trustedProxies: ["127.0.0.1"] },
      walletChallenges: walletChallengeStore({ ...context, clock: server.clock }, openMax),
    });
    const key = makeWalletKey();
    const person = visitorFrom("203.0.113.77", small);
    const asked = await person.call("walletSignIn", { body: { walletAddress: key.address } });
    for (let n = 0; n < 100; n++) {
      server.clock.advance(1);
      const { status } = await visitorFrom(network(n), small).call("walletSignIn", {
        body: { walletAddress: makeWalletKey().address },
      });
      expect(status).toBe(401);
    }
    const rows = await db.selectFrom("one_time_token").select("kind").execute();
    expect(rows.length).toBeLessThanOrEqual(openMax);
    const proof = proveWallet(key, asked.body.challenge);
    const { status } = await person.call("walletSignIn", { body: proof });
    await small.app.close();
    return status;
  }

  const floods: readonly (readonly [from: string, network: (n: number) => string])[] = [
    ["three /48", (n) => `2001:db8:${(n % 3) + 32}:${n.toString(16)}::1`],
    ["a /48", (n) => `2001:db8:16:${n.toString(16)}::1`],
    ["a /24", (n) => `198.18.0.${n}`],
  ];

  // In `npm test` the others are in anonymous-tokens.test.ts, on the store alone.
  test.each(floods.slice(0, isLongRun ? floods.length : 1))(
    "that fill the table from %s leave everybody else's challenges alone",
    async (_, network) => {
      expect(await flooded(network)).toBe(200);
    },
  );
});

describe("rows that one account fills", () => {
  test("signing in again and again ends the account's own sessions beyond a hundred, the longest unused first", async () => {
    const { loginSessions, users } = server.store;
    const person = await new Visitor(server).register();
    const other = await new Visitor(server).register();
    for (let opened = 0; opened < 110; opened++) {
      server.clock.advance(1);
      const now = server.clock.now();
      const times = { createdAt: now, lastSeenAt: now };
      await loginSessions.insert({
        id: randomUUID(),
        tokenHash: randomBytes(32),
        userId: person.userId,
        device: null,
        ...times,
      });
    }
    const sessions = await loginSessions.listForUser(person.userId);
    expect(sessions).toHaveLength(100);
    expect((server.clock.now().getTime() - (sessions.at(-1)?.lastSeenAt.getTime() ?? 0)) / 1000).toBe(99);
    expect(await loginSessions.listForUser(other.userId)).toHaveLength(1);
    expect(await users.find(person.userId)).not.toBeNull();
  });

  test("mail that fails at one alias a thousand times leaves the notices about another alone", async () => {
    const person = await new Visitor(server).register();
    const [flooded, quiet] = [await person.createAlias(), await person.createAlias()];
    const addNotice = (aliasId: string) => {
      server.clock.advance(1);
      const notice = { id: randomUUID(), userId: person.userId, kind: "delivery_failed" as const, text: "x" };
      return server.store.notices.insert({ ...notice, aliasId, createdAt: server.clock.now() });
    };
    await addNotice(quiet.id);
    for (let added = 0; added < 1100; added++) await addNotice(flooded.id);
    const notices = await server.store.notices.listForUser(person.userId);
    expect(notices.length).toBeLessThanOrEqual(1000);
    expect(notices.some(({ aliasId }) => aliasId === quiet.id)).toBe(true);
  });

  test("renaming an alias over and over counts as creating aliases: each old name is reserved for a month", async () => {
    const person = await new Visitor(server).register();
    const { id: aliasId } = await person.createAlias();
    const rename = () =>
      person.call("updateAlias", { params: { aliasId }, body: { alias: `b${randomUUID().slice(0, 8)}` } });
    const answers = [];
    for (let renamed = 0; renamed < 65; renamed++) answers.push((await rename()).status);
    expect(answers.filter((status) => status === 200)).toHaveLength(59);
    const note = await person.call("updateAlias", { params: { aliasId }, body: { notes: "changed" } });
    expect(note.status).toBe(200);
  });

  test("creating aliases by the hour ends at ten thousand", async () => {
    const { db, context } = await openTables();
    const aliases = aliasStore(context, { released: releasedAddresses(context), forgetBodies: async () => {} });
    const userId = randomUUID();
    await sql`INSERT INTO "user" (id, auth_method, created_at, updated_at, sealed)
      VALUES (${userId}, 'email', now(), now(), '')`.execute(db);
    await sql`INSERT INTO alias (id, user_id, active, created_at, address_index, sealed)
      SELECT gen_random_uuid(), ${userId}::uuid, true, now(), decode(md5(n::text), 'hex'), ''
      FROM generate_series(1, ${limits.aliasesMax - 1}::integer) AS n`.execute(db);
    await aliases.insert(anAlias(userId));
    await expect(aliases.insert(anAlias(userId))).rejects.toMatchObject({ code: "invalid" });
  });
});

describe("reply addresses of one alias", () => {
  const people = (count: number, name: string) =>
    Array.from({ length: count }, (_, n) => ({ address: `${name}${n}@example.net`, name: null, token: `${name}${n}` }));

  test("a thousand forged senders create a limited number of rows, and an earlier correspondent still gets through", async () => {
    const rows = new Set<string>();
    const store = {
      ensure: async (paths: readonly { id: Buffer }[]) => {
        for (const { id } of paths) rows.add(id.toString("hex"));
      },
      listKnown: async (ids: readonly Buffer[]) =>
        new Set(ids.map((id) => id.toString("hex")).filter((id) => rows.has(id))),
    };
    const rule = { max: 50, windowSeconds: 86_400 };
    const rules = { alias: rule, account: { ...rule, max: 1000 } };
    const book = new ReplyBook(store, server.clock, rules);
    const keep = (aliasId: string, correspondents: ReturnType<typeof people>) =>
      book.keep([{ aliasId, userId: "u", correspondents }]).then((over) => (over.has(aliasId) ? "over" : "kept"));
    expect(await keep("a", people(5, "friend"))).toBe("kept");
    const answers = [];
    for (let sent = 0; sent < 1000; sent++) answers.push(await keep("a", people(1, `forged${sent}x`)));
    expect(answers.filter((it) => it === "kept")).toHaveLength(45);
    expect(rows.size).toBe(50);
    const again = new ReplyBook(store, server.clock, rules);
    expect(await again.keep([{ aliasId: "a", userId: "u", correspondents: people(5, "friend") }])).toEqual(new Set());
    expect(await keep("a", people(5, "friend"))).toBe("kept");
    expect(await keep("b", people(5, "other"))).toBe("kept");
    // Some time later the limit allows one new correspondent again, but not a message that has thirty of them.
    server.clock.advance((2 * 86_400) / 50);
    expect(await keep("a", people(30, "crowd"))).toBe("over");
    expect(await keep("a", people(1, "newcomer"))).toBe("kept");
  });
});

test("a sender with a new long address for each message fills its alias' limit of rows; earlier senders and other accounts get their bounces", async () => {
  await using forwarding = await startForwardingSystem({ env: { KAUKE_LIMITS: "alias_create=1000/3600" } });
  const { mx, system, person: mallory } = forwarding;
  const ann = await registerPerson(system.url);
  const [flooded, quiet] = [
    await mallory.createAlias({ forwardTo: "mallory@inbox.example" }),
    await ann.createAlias({ forwardTo: "ann@inbox.example" }),
  ].map(({ alias }) => `${alias}@kauke.test`) as [string, string];
  let sent = 0;
  const nextBounceAddress = async (to: string) => {
    const from = `${"bounces-".repeat(8)}${++sent}@sender.example`;
    const message = `From: eve@sender.example\r\nSubject: number ${sent}.\r\n\r\nHello\r\n`;
    expect((await sendMail({ port: system.mxPort, from, to, message })).last).toMatch(/^250 /);
    return mx.messages.find(({ bytes }) => bytes.includes(`number ${sent}.`))?.envelopeFrom as string;
  };
  const senderOf = async (bounceAddress: string) => {
    const path = parsePath(`<${bounceAddress}>`);
    const read = readBounceAddress(path, (data) => system.server.store.keys.hmac("srs", data), new Date());
    if (read === null || read.token === null) throw new Error(`no token in ${bounceAddress}`);
    return system.server.store.bounceSenders.find({ aliasId: read.aliasId, token: read.token });
  };
  const first = await nextBounceAddress(flooded);
  while (sent < bounds.newBounceSenders.alias + 20) await nextBounceAddress(flooded);
  const whole = await wholeExport(system.server.store.accountExport, mallory.user.id);
  expect(whole?.bounce_sender?.rows).toHaveLength(bounds.newBounceSenders.alias);
  const last = await nextBounceAddress(flooded);
  expect(await senderOf(first)).toMatch(/-1@sender\.example$/);
  expect(await senderOf(last)).toBeNull();
  expect(await senderOf(await nextBounceAddress(quiet))).toMatch(/@sender\.example$/);
  // A bounce of the newest mail is still taken, and the owner gets a notice.
  const bounce = { port: system.mxPort, from: "", to: last, message: "Subject: failed\r\n\r\nnot delivered\r\n" };
  expect((await sendMail(bounce)).last).toMatch(/^250 /);
  expect((await mallory.notices())[0]?.text).toContain(`A message to ${flooded} came back`);
});

test("an alias that accepts no new correspondents delays no other alias of the same message; only its own copy waits", async () => {
  await using forwarding = await startForwardingSystem({ env: { KAUKE_LIMITS: "alias_create=1000/3600" } });
  const { mx, system, person: mallory } = forwarding;
  const ann = await registerPerson(system.url);
  const [full, other] = [
    await mallory.createAlias({ forwardTo: "mallory@full.example" }),
    await ann.createAlias({ forwardTo: "ann@other.example" }),
  ];
  const [crowded, quiet] = [full, other].map(({ alias }) => `${alias}@kauke.test`) as [string, string];
  const send = (to: string[], from: string, cc: readonly string[] = []) =>
    sendMail({
      port: system.mxPort,
      to,
      message: `From: ${from}\r\nTo: list@example.org\r\nCc: ${cc.join(",\r\n ")}\r\nSubject: news\r\n\r\nHello\r\n`,
    });
  expect((await send([crowded], "friend@example.org")).last).toMatch(/^250 /);
  for (let sent = 0; sent < bounds.newCorrespondents.alias / 99; sent++) {
    const crowd = Array.from({ length: 99 }, (_, n) => `n${n}@crowd${sent}.example`);
    await send([crowded], "friend@example.org", crowd);
  }
  const strangers = Array.from({ length: 99 }, (_, n) => `n${n}@strangers.example`);
  expect((await send([crowded], "stranger@example.org", strangers)).last).toMatch(/^451 /);
  expect((await send([crowded], "friend@example.org")).last).toMatch(/^250 /);
  expect((await send([crowded, quiet], "stranger@example.org", strangers)).last).toMatch(/^250 /);
  await vi.waitFor(() => expect(mx.messages.some((it) => it.rcptTo.includes("ann@other.example"))).toBe(true));
  expect(await system.server.store.deliveries.count()).toBe(1);
});

describe("mail to postmaster@", () => {
  let system: TestSystem;
  beforeAll(async () => {
    system = await startSystem();
  });
  afterAll(() => system.close());

  test("a flood of it from one /24 evicts its own messages, not somebody else's report", async () => {
    const big = `Subject: junk\r\n\r\n${"x".repeat(900)}\r\n`.padEnd(20 * 1024 * 1024, "y\r\n");
    const send = (localAddress: string, message: string) =>
      sendMail({ port: system.mxPort, to: "postmaster@kauke.test", message, localAddress });
    expect((await send("127.7.0.1", "Subject: abuse report\r\n\r\nPlease look.\r\n")).last).toMatch(/^250 /);
    for (let sent = 0; sent < 5; sent++) expect((await send(`127.8.0.${sent + 1}`, big)).last).toMatch(/^250 /);
    const kept = await system.server.store.deliveries.listKeptForOperator();
    expect(kept.map(({ envelope }) => envelope.clientAddress)).toEqual([
      "127.7.0.1",
      "127.8.0.3",
      "127.8.0.4",
      "127.8.0.5",
    ]);
    expect((await send("127.9.0.1", "Subject: another report\r\n\r\nHello.\r\n")).last).toMatch(/^250 /);
  });
});
