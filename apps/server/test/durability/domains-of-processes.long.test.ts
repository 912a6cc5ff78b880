/**
 * Own domains of accounts in three processes on one PostgreSQL: what one process learns of a domain is true of mail at the
 * others within a second, and a process that may have missed something defers mail instead of refusing it.
 */
import { randomBytes } from "node:crypto";
import type { AccountDomainWire } from "@kauke/contract";
import { findTestPostgres, startTestPostgres, type TestPostgres } from "@kauke/server/store/postgres/postgres.testing";
import { type FakeDnsName, type FakeDnsServer, startFakeDnsServer } from "@kauke/testkit/fakes/fake-dns";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { quickServer, removeDataDirs, type ServerProcess, startServerProcess } from "@kauke/testkit/server-process";
import { greetedTalk } from "@kauke/testkit/smtp-talk";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const TIMEOUT_MS = 240_000;
const WITHIN_MS = 1000;
const relayDenied = /^550 5\.7\.1 /;
const unknownAlias = /^550 5\.1\.1 /;
const deferred = /^451 /;

const postgres = findTestPostgres();
if (!postgres.found) process.stdout.write(`own domains of three processes are skipped: ${postgres.reason}\n`);

describe.skipIf(!postgres.found)("three processes", { timeout: TIMEOUT_MS }, () => {
  let database: TestPostgres;
  let databaseUrl: string;
  let dns: FakeDnsServer;
  let servers: ServerProcess[];
  let person: Person;

  beforeAll(async () => {
    [database, dns] = await Promise.all([startTestPostgres(), startFakeDnsServer()]);
    databaseUrl = await database.createDatabase();
    const env = {
      DATABASE_URL: databaseUrl,
      KAUKE_SECRET_KEY: randomBytes(32).toString("base64"),
      KAUKE_DNS_SERVERS: dns.address,
      KAUKE_LIMITS: "off",
    };
    const start = () => startServerProcess({ env, program: quickServer, readyTimeoutMs: TIMEOUT_MS });
    servers = [await start(), ...(await Promise.all([start(), start()]))];
    person = await registerPerson(servers[0]?.url ?? "");
  }, TIMEOUT_MS);
  afterAll(async () => {
    for (const server of servers ?? []) await server.kill();
    await dns?.close();
    await database?.stop();
    await removeDataDirs();
  });

  /** Replies to the address at each process. */
  const rcpt = (address: string) =>
    Promise.all(
      servers.map(async ({ mxPort }) => {
        const talk = await greetedTalk(mxPort);
        await talk.ask("MAIL FROM:<ann@sender.example>");
        const reply = await talk.ask(`RCPT TO:<${address}>`);
        talk.close();
        return reply;
      }),
    );
  /** Within a second of what went before. @param told processes that knew it when the call ended */
  async function everywhere(address: string, reply: RegExp, told: readonly number[]): Promise<void> {
    const since = performance.now();
    const seen = (all: readonly string[]) => all.map((text) => reply.test(text));
    const first = seen(await rcpt(address));
    expect(told.map((at) => first[at])).toEqual(told.map(() => true));
    await expect
      .poll(async () => seen(await rcpt(address)), { interval: 10, timeout: 5000 })
      .toEqual([true, true, true]);
    expect(performance.now() - since).toBeLessThan(WITHIN_MS);
  }

  async function callAt(at: number, method: string, path: string, body?: unknown) {
    const response = await fetch(`${servers[at]?.url}${path}`, {
      method,
      headers: { cookie: person.cookie, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return (await response.json()) as AccountDomainWire;
  }

  const add = (domain: string) => callAt(0, "POST", "/api/account/domains", { domain });
  const check = (at: number, { id }: AccountDomainWire) => callAt(at, "POST", `/api/account/domains/${id}/check`);

  function publish({ records }: AccountDomainWire): void {
    for (const { host, type, value, priority } of records) {
      const name = (dns.zone[host] ??= {}) as FakeDnsName;
      if (type === "MX") name.mx = [[priority ?? 0, value]];
      else name.txt = [value];
    }
  }

  async function proven(domain: string): Promise<AccountDomainWire> {
    const added = await add(domain);
    publish(added);
    expect(await check(0, added)).toMatchObject({ state: "proven" });
    return added;
  }

  async function inDatabase(...statements: string[]): Promise<void> {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  }

  test("a domain that one has proven takes mail at all within a second, and none at any once it is removed", async () => {
    const domain = "own.example";
    const added = await add(domain);
    await everywhere(`shop@${domain}`, relayDenied, [0, 1, 2]);
    publish(added);
    expect(await check(0, added)).toMatchObject({ state: "proven" });
    await everywhere(`shop@${domain}`, unknownAlias, [0]);
    await person.createAlias({ alias: "shop", domain, forwardTo: "jonas@inbox.example" });
    await everywhere(`shop@${domain}`, /^250 /, [0]);
    const unused = await proven("unused.example");
    await everywhere(`shop@${unused.domain}`, unknownAlias, [0]);
    await callAt(2, "DELETE", `/api/account/domains/${unused.id}`);
    await everywhere(`shop@${unused.domain}`, relayDenied, [2]);
  });

  test("one that a process suspends is refused for now at all, and a proof at another lets mail in again", async () => {
    const domain = "paused.example";
    const added = await proven(domain);
    await everywhere(`shop@${domain}`, unknownAlias, [0]);
    const ownership = added.records.find(({ name }) => name === "ownership")?.host ?? "";
    delete dns.zone[ownership];
    // The seven days have passed when the next check finds the record missing.
    const sinceLong =
      "state = 'failing', failing_since = now() - interval '8 days', state_until = now(), counted_at = now()";
    await inDatabase(`UPDATE account_domain SET ${sinceLong} WHERE id = '${added.id}'`);
    expect(await check(1, added)).toMatchObject({ state: "suspended" });
    await everywhere(`shop@${domain}`, /^450 4\.2\.1 /, [1]);
    publish(added);
    expect(await check(2, added)).toMatchObject({ state: "proven" });
    await everywhere(`shop@${domain}`, unknownAlias, [2]);
  });

  test("while notifications are lost, mail to a domain that may be proven by now gets 451, and known ones go on", async () => {
    const known = await proven("known.example");
    await everywhere(`shop@${known.domain}`, unknownAlias, [0]);
    const missed = await add("missed.example");
    publish(missed);
    const name = new URL(databaseUrl).pathname.slice(1);
    const administration = new URL(databaseUrl);
    administration.pathname = "/postgres";
    const admin = new pg.Client({ connectionString: administration.href });
    await admin.connect();
    await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    try {
      await admin.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND query ~ '^(LISTEN|SELECT 1$)'",
        [name],
      );
      await expect.poll(() => rcpt("shop@foreign.example")).toEqual([deferred, deferred, deferred].map(matching));
      expect(await check(0, missed)).toMatchObject({ state: "proven" });
      const [told, ...others] = await rcpt(`shop@${missed.domain}`);
      expect([told, ...others]).toEqual([unknownAlias, deferred, deferred].map(matching));
      expect(await rcpt(`shop@${known.domain}`)).toEqual([unknownAlias, unknownAlias, unknownAlias].map(matching));
    } finally {
      await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
      await admin.end();
    }
    await expect
      .poll(() => rcpt(`shop@${missed.domain}`), { timeout: 20_000 })
      .toEqual([unknownAlias, unknownAlias, unknownAlias].map(matching));
    await expect
      .poll(() => rcpt("shop@foreign.example"))
      .toEqual([relayDenied, relayDenied, relayDenied].map(matching));
  });
});

const matching = (reply: RegExp): unknown => expect.stringMatching(reply);
