/**
 * PostgreSQL that fails at the worst moment: its connections are cut while an outcome is recorded, it accepts no
 * connections, a statement is canceled, it turns read-only. Senders get 4xx meanwhile; nothing is lost or sent twice,
 * and everything works again without a restart of the server.
 */
import { randomBytes } from "node:crypto";
import { findTestPostgres, startTestPostgres, type TestPostgres } from "@kauke/server/store/postgres/postgres.testing";
import { FakeMx } from "@kauke/testkit/fakes/fake-mx";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { relayTo, startSystem, type TestSystem } from "@kauke/testkit/system";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";

const postgres = findTestPostgres();
if (!postgres.found) process.stdout.write(`tests of trouble with PostgreSQL are skipped: ${postgres.reason}\n`);

describe.skipIf(!postgres.found)("while PostgreSQL is in trouble", () => {
  let database: TestPostgres;
  let url: string;
  let admin: pg.Client;
  /**
   * Connection that holds locks. Another one reads `pg_stat_activity`, whose content does not change within a
   * transaction.
   */
  let locker: pg.Client;
  let mx: FakeMx;
  let system: TestSystem;
  let person: Person;
  let isFull = false;
  /** Called when the relay has received a body, before its reply. */
  let atTheDot: () => Promise<void> = async () => {};
  let sent = 0;

  beforeAll(async () => {
    database = await startTestPostgres();
    url = await database.createDatabase();
    admin = new pg.Client({ connectionString: url });
    locker = new pg.Client({ connectionString: url });
    await Promise.all([admin.connect(), locker.connect()]);
    mx = await FakeMx.start({
      answer: async ({ stage }) => {
        if (stage === "body") await atTheDot();
        return stage === "rcpt" && isFull ? "452 4.2.2 mailbox full" : undefined;
      },
    });
    system = await startSystem({
      env: {
        DATABASE_URL: url,
        KAUKE_SECRET_KEY: randomBytes(32).toString("base64"),
        ...relayTo(mx),
        KAUKE_RETRY_SCHEDULE: Array.from({ length: 60 }, () => "1s").join(","),
      },
    });
    person = await registerPerson(system.url);
  });
  beforeEach(() => {
    mx.messages.splice(0);
  });
  afterEach(async () => {
    isFull = false;
    atTheDot = async () => {};
    await locker.query("ROLLBACK");
  });
  afterAll(async () => {
    await system.close();
    await Promise.all([admin.end(), locker.end()]);
    await mx.close();
    await database.stop();
  });

  const newAlias = async () => {
    const { alias, domain } = await person.createAlias({ forwardTo: `inbox${++sent}@inbox.example` });
    return `${alias}@${domain}`;
  };
  const send = async (to: string) => {
    const message = `From: Ann <ann@example.org>\r\nSubject: hi\r\nMessage-ID: <${++sent}@example.org>\r\n\r\nbody\r\n`;
    return (await sendMail({ port: system.mxPort, to, message })).last;
  };
  const cutAll = () =>
    admin.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'kauke' AND datname = current_database()",
    );
  const queueEmpty = (timeout: number) =>
    vi.waitFor(
      async () => expect((await admin.query("SELECT count(*)::integer AS n FROM delivery")).rows[0].n).toBe(0),
      { timeout, interval: 100 },
    );
  const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 20_000, interval: 100 });
  const works = async () => {
    const to = await newAlias();
    expect(await send(to)).toMatch(/^250 /);
  };

  test("connections cut while a retry's outcome is recorded: it is recorded later, and the message is sent once", {
    timeout: 60_000,
  }, async () => {
    const to = await newAlias();
    isFull = true;
    expect(await send(to)).toMatch(/^250 /);
    // The queue's table is locked against writes from before the relay's reply until the connections are cut.
    let isLocked = false;
    atTheDot = async () => {
      if (isLocked) return;
      isLocked = true;
      await locker.query("BEGIN");
      await locker.query("LOCK TABLE delivery IN SHARE MODE");
    };
    isFull = false;
    await eventually(async () => {
      const query =
        "SELECT 1 FROM pg_stat_activity WHERE application_name = 'kauke' AND wait_event_type = 'Lock' AND query LIKE '%DELETE FROM delivery%'";
      expect((await admin.query(query)).rowCount).toBeGreaterThan(0);
    });
    await cutAll();
    await locker.query("COMMIT");
    await queueEmpty(20_000);
    expect(mx.messages).toHaveLength(1);
    expect(system.server.metrics.render()).toMatch(/kauke_settle_failures_total [1-9]/);
  });

  test("connections cut again and again: senders get 250 or 4xx, and everything answered 250 arrives once", {
    timeout: 120_000,
  }, async () => {
    const to = await Promise.all(Array.from({ length: 20 }, newAlias));
    isFull = true;
    let taken = 0;
    for (const alias of to) {
      const answer = send(alias);
      await cutAll();
      const said = await answer;
      expect(said).toMatch(/^(?:250|4\d\d) /);
      if (said.startsWith("250")) taken++;
    }
    isFull = false;
    await queueEmpty(60_000);
    expect(mx.messages).toHaveLength(taken);
    await eventually(works);
  });

  test("a database that accepts no writes, then no connections: the sender gets 451, and later everything works as before", {
    timeout: 60_000,
  }, async () => {
    const to = await newAlias();
    isFull = true;
    const name = new URL(url).pathname.slice(1);
    await admin.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await cutAll();
    expect(await send(to)).toMatch(/^451 /);
    await admin.query("SET default_transaction_read_only = off");
    await admin.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
    await cutAll();
    await eventually(async () => expect(await send(to)).toMatch(/^250 /));
    isFull = false;
    await queueEmpty(20_000);
    const elsewhere = new pg.Client({ connectionString: Object.assign(new URL(url), { pathname: "/postgres" }).href });
    await elsewhere.connect();
    await elsewhere.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await cutAll();
    expect(await send(to)).toMatch(/^451 /);
    expect((await person.call("GET", "/api/notices")).status).toBe(503);
    await elsewhere.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    await elsewhere.end();
    await eventually(works);
  });

  test("canceled statements: the sender gets 451 and no connection of the pool is lost", {
    timeout: 60_000,
  }, async () => {
    isFull = true;
    const to = await newAlias();
    for (let round = 0; round < 12; round++) {
      await locker.query("BEGIN");
      await locker.query("LOCK TABLE message IN SHARE MODE");
      const answer = send(to);
      await eventually(async () => {
        const { rowCount } = await admin.query(
          "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'kauke' AND wait_event_type = 'Lock'",
        );
        expect(rowCount).toBeGreaterThan(0);
      });
      await locker.query("COMMIT");
      expect(await answer).toMatch(/^451 /);
    }
    isFull = false;
    await works();
    const idle =
      "SELECT 1 FROM pg_stat_activity WHERE application_name = 'kauke' AND state LIKE 'idle in transaction%'";
    await eventually(async () => expect((await admin.query(idle)).rowCount).toBe(0));
  });

  test("the connection that listens for notifications is restored", {
    timeout: 60_000,
  }, async () => {
    await cutAll();
    await eventually(async () => {
      const query = "SELECT 1 FROM pg_stat_activity WHERE application_name = 'kauke' AND query LIKE 'LISTEN%'";
      expect((await admin.query(query)).rowCount).toBe(1);
    });
    await eventually(works);
  });
});
