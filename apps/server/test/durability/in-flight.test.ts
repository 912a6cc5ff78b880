/**
 * Mail acknowledged before its destination has answered: kept in a file of its own while the attempt runs, in the queue
 * if it fails.
 */
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type FailingDisk, failingDisk } from "@kauke/testkit/fakes/failing-disk";
import { FakeMx } from "@kauke/testkit/fakes/fake-mx";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { makeDataDir, removeDataDirs } from "@kauke/testkit/server-process";
import { relayTo, startSystem, type TestSystem } from "@kauke/testkit/system";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";

let dataDir: string;
let mx: FakeMx;
let disk: FailingDisk;
let system: TestSystem;
let person: Person;
/** The destination's reply to RCPT; until it is set the destination does not reply. */
let answer: string | undefined;
let open: () => void;
let gate: Promise<void>;

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
beforeEach(() => {
  shut();
  answer = undefined;
  mx.messages.splice(0);
});
afterEach(async () => {
  answer = undefined;
  disk.failing = null;
  open();
  await nothingLeft();
});
afterAll(async () => {
  await system.close();
  await mx.close();
  await removeDataDirs();
});

const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 30_000 });
const nothingLeft = () => eventually(async () => expect([await files(), await queued()]).toEqual([[], 0]));

function shut(): void {
  gate = new Promise((resolve) => {
    open = resolve;
  });
}

async function start(): Promise<void> {
  disk = failingDisk();
  system = await startSystem({
    env: {
      KAUKE_DATA_DIR: dataDir,
      ...relayTo(mx),
      KAUKE_RETRY_SCHEDULE: "1s,1s,1s,1s,1s,1s",
      KAUKE_ANSWER_SECONDS: "0",
    },
    overrides: { store: { disk: disk.disk } },
  });
  person = await registerPerson(system.url);
}

const secret = "a body that nobody reads on the disk";
async function send(destinations = "jonas@inbox.example"): Promise<string> {
  const { alias, domain } = await person.createAlias({ forwardTo: destinations });
  const message = `From: Ann <ann@example.org>\r\nSubject: hi\r\n\r\n${secret}\r\n`;
  return (await sendMail({ port: system.mxPort, to: `${alias}@${domain}`, message })).last;
}
const files = () => readdir(join(dataDir, "underway")).catch(() => []);
const queued = () => system.server.store.deliveries.count();

test("while its one attempt runs the message is one sealed file, and the queue is empty; once delivered, the file is gone", async () => {
  expect(await send()).toMatch(/^250 /);
  const [file, ...others] = await files();
  expect(others).toEqual([]);
  expect(await queued()).toBe(0);
  const bytes = await readFile(join(dataDir, "underway", String(file)));
  expect(bytes.length).toBeGreaterThan(secret.length);
  for (const word of [secret, "jonas@inbox.example", "ann@example.org"]) expect(bytes.includes(word)).toBe(false);
  open();
  await mx.waitForMessages(1);
  await nothingLeft();
});

test("deferred by the destination it is queued and arrives by the retry schedule, once", async () => {
  answer = "451 4.3.2 not now";
  expect(await send()).toMatch(/^250 /);
  open();
  await eventually(async () => expect([await files(), await queued()]).toEqual([[], 1]));
  answer = undefined;
  await mx.waitForMessages(1);
  await nothingLeft();
  expect(mx.messages).toHaveLength(1);
});

test("deferred by the destination it is queued although its file can't be deleted, and arrives", async () => {
  answer = "451 4.3.2 not now";
  expect(await send()).toMatch(/^250 /);
  disk.failing = { call: "remove", code: "EIO" };
  open();
  await eventually(async () => expect(disk.refused).toBeGreaterThan(0));
  const [file] = await files();
  disk.failing = null;
  answer = undefined;
  await mx.waitForMessages(1);
  await rm(join(dataDir, "underway", String(file)));
});

test("refused by the destination it ends with a notice to the owner", async () => {
  answer = "550 5.1.1 nobody here";
  expect(await send()).toMatch(/^250 /);
  open();
  await eventually(async () => expect(await person.notices()).toHaveLength(1));
});

test("a message to two destinations is queued from the start, so that a retry repeats neither", async () => {
  expect(await send("jonas@inbox.example, ona@inbox.example")).toMatch(/^250 /);
  expect(await files()).toEqual([]);
  expect(await queued()).toBe(2);
});

test("a shutdown while the attempt runs loses nothing: the next start delivers the message", async () => {
  expect(await send()).toMatch(/^250 /);
  await system.close();
  open();
  await start();
  await mx.waitForMessages(1);
});

test("files found at a start are queued; a damaged one stays and is reported; an incomplete one is ignored", async () => {
  expect(await send()).toMatch(/^250 /);
  expect(await send()).toMatch(/^250 /);
  const kept = await files();
  const folder = join(dataDir, "underway");
  const bytes = await Promise.all(kept.map((name) => readFile(join(folder, name))));
  await system.close();
  open();
  mx.messages.splice(0);
  // Leaves the files that a kill would have left: a complete one, a damaged one and one that was still being written.
  await emptyQueue();
  await writeFile(join(folder, String(kept[0])), bytes[0] as Buffer);
  await writeFile(join(folder, String(kept[1])), (bytes[1] as Buffer).subarray(0, 99));
  await writeFile(join(folder, `${kept[1]}.part`), "x");
  await start();
  expect(system.log.events).toContainEqual(expect.objectContaining({ event: "in_flight_unreadable" }));
  expect(system.log.events).toContainEqual(
    expect.objectContaining({ event: "leases_released", fields: expect.objectContaining({ count: 1 }) }),
  );
  await mx.waitForMessages(1);
  await eventually(async () => expect(await files()).toEqual([kept[1]]));
  await rm(join(folder, String(kept[1])));
});

/** Starts the server, lets it deliver all queued mail, and closes it: files written afterwards are the only mail. */
async function emptyQueue(): Promise<void> {
  await start();
  await nothingLeft();
  await system.close();
  mx.messages.splice(0);
}

test("a file whose alias was deleted meanwhile is discarded", async () => {
  expect(await send()).toMatch(/^250 /);
  const [name] = await files();
  const bytes = await readFile(join(dataDir, "underway", String(name)));
  for (const { id } of await person.listAliases()) await person.call("DELETE", `/api/aliases/${id}`);
  await system.close();
  await writeFile(join(dataDir, "underway", String(name)), bytes);
  await start();
  expect([await files(), await queued()]).toEqual([[], 0]);
});

test.each(["write", "rename"] as const)(
  "if the file can't be written (%s) the sender gets 451, and its next try delivers one copy",
  async (call) => {
    disk.failing = { call, code: "EIO" };
    expect(await send()).toMatch(/^451 4\.3\.0/);
    expect(await files()).toEqual([]);
    disk.failing = null;
    open();
    await mx.waitForMessages(1);
    expect(await send()).toMatch(/^250 /);
  },
);
