/**
 * Queued mail that can't be read back: bit rot, a missing key, a format written by another version. It fails at the end
 * of the retry schedule with a notice to its owner, and no other mail is delayed, lost or sent twice.
 */
import { randomBytes } from "node:crypto";
import { findTestPostgres, startTestPostgres, type TestPostgres } from "@kauke/server/store/postgres/postgres.testing";
import { FakeMx } from "@kauke/testkit/fakes/fake-mx";
import { isLongRun } from "@kauke/testkit/long-rounds";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { relayTo, startSystem, type TestSystem } from "@kauke/testkit/system";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";

const postgres = findTestPostgres();
if (!postgres.found) process.stdout.write(`tests of damaged queue rows are skipped: ${postgres.reason}\n`);

describe.skipIf(!postgres.found)("a damaged row of the queue", () => {
  let database: TestPostgres;
  let client: pg.Client;
  let mx: FakeMx;
  let system: TestSystem;
  let person: Person;
  /** Inboxes for which the relay replies with a temporary failure. */
  const full = new Set<string>();
  const takenAt = (inbox: string) => mx.messages.filter(({ rcptTo }) => rcptTo.includes(inbox)).length;
  const queued = () => system.server.store.deliveries.count();

  beforeAll(async () => {
    database = await startTestPostgres();
    const url = await database.createDatabase();
    client = new pg.Client({ connectionString: url });
    mx = await FakeMx.start({
      answer: ({ stage, line }) =>
        stage === "rcpt" && [...full].some((it) => line.includes(it)) ? "452 4.2.2 mailbox full" : undefined,
    });
    system = await startSystem({
      env: {
        DATABASE_URL: url,
        KAUKE_SECRET_KEY: randomBytes(32).toString("base64"),
        ...relayTo(mx),
        KAUKE_RETRY_SCHEDULE: "2s,2s,2s",
      },
    });
    await client.connect();
    person = await registerPerson(system.url);
  });
  afterEach(() => full.clear());
  afterAll(async () => {
    await system.close();
    await client.end();
    await mx.close();
    await database.stop();
  });

  /** @returns ids of the aliases that have one queued message each, in the order of the inboxes */
  async function queueTo(...inboxes: string[]): Promise<string[]> {
    const ids: string[] = [];
    for (const inbox of inboxes) {
      full.add(inbox);
      const made = await person.createAlias({ forwardTo: inbox });
      const message = "From: Ann <ann@example.org>\r\nSubject: hi\r\n\r\nbody\r\n";
      const { last } = await sendMail({ port: system.mxPort, to: `${made.alias}@${made.domain}`, message });
      expect(last).toMatch(/^250 /);
      ids.push(made.id);
    }
    expect(await queued()).toBe(inboxes.length);
    return ids;
  }

  const damages = [
    [
      "of the delivery with flipped bits",
      "UPDATE delivery SET sealed = set_byte(sealed, 30, get_byte(sealed, 30) # 1)",
    ],
    ["of the delivery whose key is missing", "UPDATE delivery SET sealed = set_byte(sealed, 0, 7)"],
    ["of the delivery that was truncated", "UPDATE delivery SET sealed = substring(sealed FROM 1 FOR 9)"],
    [
      "of the message with flipped bits",
      "UPDATE message SET sealed = set_byte(message.sealed, 30, get_byte(message.sealed, 30) # 1) FROM delivery " +
        "WHERE message.id = delivery.message_id AND delivery.alias_id = $1",
    ],
  ] as const;

  test.each(damages.filter((_, place) => isLongRun || place === 0 || place === 3))(
    "a sealed part %s does not delay the rest of the queue, and ends with a notice",
    {
      timeout: 60_000,
    },
    async (_, statement) => {
      const [damaged = ""] = await queueTo("first@inbox.example", "second@inbox.example", "third@inbox.example");
      const where = statement.includes("WHERE") ? "" : " WHERE alias_id = $1";
      expect((await client.query(`${statement}${where}`, [damaged])).rowCount).toBe(1);
      const before = [takenAt("second@inbox.example"), takenAt("third@inbox.example")];
      full.clear();
      await vi.waitFor(
        () =>
          expect([takenAt("second@inbox.example"), takenAt("third@inbox.example")]).toEqual(before.map((n) => n + 1)),
        { timeout: 15_000 },
      );
      await vi.waitFor(async () => expect(await queued()).toBe(0), { timeout: 20_000 });
      const notices = (await person.notices()).filter((it) => it.text.includes("could not be read back"));
      expect(notices.length).toBeGreaterThan(0);
      expect(takenAt("first@inbox.example")).toBe(0);
      expect([takenAt("second@inbox.example"), takenAt("third@inbox.example")]).toEqual(before.map((n) => n + 1));
      expect(system.server.metrics.render()).toMatch(/kauke_unreadable_total\{what="delivery"\} [1-9]/);
    },
  );
});
