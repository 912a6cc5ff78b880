/**
 * Mail in the spool's journal: acknowledged before its destination has answered, deferred, stored on a failing disk,
 * and found again by the next start.
 */
import { cp, readdir, readFile, rm, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { type DiskCall, type FailingDisk, failingDisk, noJournal } from "@kauke/testkit/fakes/failing-disk";
import { FakeMx } from "@kauke/testkit/fakes/fake-mx";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { makeDataDir, removeDataDirs } from "@kauke/testkit/server-process";
import { relayTo, startSystem, type TestSystem } from "@kauke/testkit/system";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";

let dataDir: string;
let mx: FakeMx;
let disk: FailingDisk;
let system: TestSystem;
let person: Person;
/** The destination's reply to RCPT; until the gate is open it does not reply. */
let answer: string | undefined;
let open: () => void;
let gate: Promise<void>;
let sent = 0;

beforeAll(async () => {
  dataDir = await makeDataDir();
  mx = await FakeMx.start({
    answer: async ({ stage }) => {
      if (stage !== "rcpt") return undefined;
      await gate;
      return answer;
    },
  });
  await start();
});
beforeEach(async () => {
  disk.failing = null;
  answer = undefined;
  open?.();
  await nothingLeft();
  mx.messages.splice(0);
  gate = new Promise((resolve) => {
    open = resolve;
  });
});
afterAll(async () => {
  open();
  await system.close();
  await mx.close();
  await removeDataDirs();
});

async function start(): Promise<void> {
  disk = failingDisk();
  system = await startSystem({
    env: {
      KAUKE_DATA_DIR: dataDir,
      ...relayTo(mx),
      KAUKE_RETRY_SCHEDULE: Array.from({ length: 60 }, () => "1s").join(","),
      KAUKE_ANSWER_SECONDS: "0",
    },
    overrides: { store: { disk: disk.disk } },
  });
  person = await registerPerson(system.url);
}

const secret = "a body that nobody reads on the disk";
const messageOf = (number: number) => `From: Ann <ann@example.org>\r\nSubject: ${number}\r\n\r\n${secret}\r\n`;
async function send(destinations = "jonas@inbox.example", message = messageOf(++sent)): Promise<string> {
  const { alias, domain } = await person.createAlias({ forwardTo: destinations });
  return (await sendMail({ port: system.mxPort, to: `${alias}@${domain}`, message })).last;
}
const queued = () => system.server.store.deliveries.count();
const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 30_000 });
const nothingLeft = () => eventually(async () => expect(await queued()).toBe(0));
const journal = () => join(dataDir, "spool", "journal", "main");
async function segments(): Promise<Buffer[]> {
  const names = await readdir(journal()).catch(() => []);
  return await Promise.all(names.map((name) => readFile(join(journal(), name))));
}
/** Starts the server again on a copy of its files that was made before it shut down, as after a kill. */
async function restartAsKilled(change: (copy: string) => Promise<void> = async () => {}): Promise<void> {
  const copy = await makeDataDir();
  await cp(dataDir, copy, { recursive: true, filter: async (path) => !(await stat(path)).isSocket() });
  await change(copy);
  await system.close();
  dataDir = copy;
  await start();
}

test("a message is sealed in the journal while its one attempt runs, and there is no row and no file of it", async () => {
  expect(await send()).toMatch(/^250 /);
  expect([await queued(), await readdir(join(dataDir, "underway")).catch(() => [])]).toEqual([0, []]);
  const bytes = Buffer.concat(await segments());
  expect(bytes.length).toBeGreaterThan(secret.length);
  for (const word of [secret, "jonas@inbox.example", "ann@example.org"]) expect(bytes.includes(word)).toBe(false);
  open();
  await mx.waitForMessages(1);
});

test("deferred by the destination it is queued and arrives by the retry schedule, once", async () => {
  answer = "451 4.3.2 not now";
  expect(await send()).toMatch(/^250 /);
  open();
  await eventually(async () => expect(await queued()).toBe(1));
  answer = undefined;
  await mx.waitForMessages(1);
  await nothingLeft();
  expect(mx.messages).toHaveLength(1);
  expect(mx.messages[0]?.bytes.includes(secret)).toBe(true);
});

test("a message to two destinations has its body in the journal, and each gets it once", async () => {
  answer = "451 4.3.2 not now";
  expect(await send("jonas@inbox.example, ona@inbox.example")).toMatch(/^250 /);
  expect(await queued()).toBe(2);
  open();
  answer = undefined;
  await mx.waitForMessages(2);
  await nothingLeft();
  expect(
    mx.messages
      .map(({ rcptTo }) => rcptTo)
      .flat()
      .toSorted(),
  ).toEqual(["jonas@inbox.example", "ona@inbox.example"]);
});

test("after a kill, mail in flight and queued mail arrives; a record that was being written is ignored", async () => {
  expect(await send("queued@inbox.example, beside@inbox.example")).toMatch(/^250 /);
  for (const name of ["one", "two"]) expect(await send(`${name}@inbox.example`)).toMatch(/^250 /);
  expect(await queued()).toBe(2);
  await restartAsKilled(async (copy) => {
    // The last record, the message to `two`, is not complete, and so counts as never acknowledged.
    const folder = join(copy, "spool", "journal", "main");
    const last = join(folder, (await readdir(folder)).toSorted().at(-1)!);
    await truncate(last, (await stat(last)).size - 60);
  });
  open();
  await mx.waitForMessages(3);
  await nothingLeft();
  expect(mx.messages.flatMap(({ rcptTo }) => rcptTo).toSorted()).toEqual(
    ["beside", "one", "queued"].map((name) => `${name}@inbox.example`),
  );
  const events = new Map(system.log.events.map(({ event, fields }) => [event, fields]));
  expect([...events.keys()]).toContain("journal_segment_incomplete");
  expect(events.get("leases_released")).toMatchObject({ count: 3 });
});

test("a message whose alias was deleted before the start is discarded", async () => {
  expect(await send()).toMatch(/^250 /);
  for (const { id } of await person.listAliases()) await person.call("DELETE", `/api/aliases/${id}`);
  await restartAsKilled();
  expect(await queued()).toBe(0);
});

describe("a disk on which one call fails", () => {
  const calls: [DiskCall, "EIO" | "ENOSPC"][] = [
    ["write", "ENOSPC"],
    ["sync", "EIO"],
    ["create", "ENOSPC"],
    ["syncDirectory", "EIO"],
  ];
  test.each(calls)("%s with %s: 451, no trace after a kill, and the next try is delivered", async (call, code) => {
    // A failed write ends the segment, so that the following message begins one.
    if (call === "create" || call === "syncDirectory") {
      disk.failing = { call: "write", code: "EIO" };
      expect(await send()).toMatch(/^451 4\.3\.0/);
    }
    disk.failing = { call, code };
    const message = messageOf(++sent);
    expect(await send("refused@inbox.example", message)).toMatch(/^451 4\.3\.0/);
    expect(disk.refused).toBeGreaterThan(0);
    await restartAsKilled();
    expect(await queued()).toBe(0);
    expect(await send("later@inbox.example", message)).toMatch(/^250 /);
    open();
    await eventually(async () => expect(mx.messages.flatMap(({ rcptTo }) => rcptTo)).toContain("later@inbox.example"));
  });
});

test("the spool's files and the files in flight of an older version are read and delivered", async () => {
  const oldDir = await makeDataDir();
  const old = await startSystem({
    env: { KAUKE_DATA_DIR: oldDir, ...relayTo(mx), KAUKE_ANSWER_SECONDS: "0", KAUKE_RETRY_SCHEDULE: "1s,1s" },
    overrides: { store: { disk: { journal: noJournal } } },
  });
  const olds = await registerPerson(old.url);
  answer = "451 4.3.2 not now";
  for (const forwardTo of ["in-flight@inbox.example", "a@inbox.example, b@inbox.example"]) {
    const { alias, domain } = await olds.createAlias({ forwardTo });
    expect((await sendMail({ port: old.mxPort, to: `${alias}@${domain}`, message: messageOf(++sent) })).last).toMatch(
      /^250/,
    );
  }
  expect(await readdir(join(oldDir, "underway"))).toHaveLength(1);
  const copy = await makeDataDir();
  await cp(oldDir, copy, { recursive: true, filter: async (path) => !(await stat(path)).isSocket() });
  open();
  await old.close();
  await rm(oldDir, { recursive: true, force: true });
  await system.close();
  mx.messages.splice(0);
  answer = undefined;
  dataDir = copy;
  await start();
  await eventually(async () =>
    expect(new Set(mx.messages.flatMap(({ rcptTo }) => rcptTo))).toEqual(
      new Set(["in-flight@inbox.example", "a@inbox.example", "b@inbox.example"]),
    ),
  );
});
