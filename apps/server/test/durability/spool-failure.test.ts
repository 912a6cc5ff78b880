/**
 * The spool can't store a message: a failing disk call, a database that can't fsync, a full file system. The sender
 * gets 4xx and keeps its mail, never 250; once the disk works again the mail is delivered, and nothing arrives twice.
 */
import { randomUUID } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type DiskCall, type FailingDisk, failingDisk } from "@kauke/testkit/fakes/failing-disk";
import { FakeMx } from "@kauke/testkit/fakes/fake-mx";
import { FakeWebhook } from "@kauke/testkit/fakes/fake-webhook";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { makeDataDir, removeDataDirs } from "@kauke/testkit/server-process";
import { relayTo, startSystem, type TestSystem } from "@kauke/testkit/system";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";

let dataDir: string;
let mx: FakeMx;
let hook: FakeWebhook;
let disk: FailingDisk;
let system: TestSystem;
let person: Person;
let sent = 0;

/** Recipients for which the destination replies with a temporary failure. */
const deferring = new Set<string>();

beforeAll(async () => {
  dataDir = await makeDataDir();
  mx = await FakeMx.start({
    answer: ({ stage, line }) =>
      stage === "rcpt" && [...deferring].some((it) => line.includes(it)) ? "452 4.2.2 mailbox full" : undefined,
  });
  hook = await FakeWebhook.start();
  await start();
  person = await registerPerson(system.url);
});
afterEach(() => {
  disk.failing = null;
  deferring.clear();
});
afterAll(async () => {
  await system.close();
  await mx.close();
  await hook.close();
  await removeDataDirs();
});

async function start(): Promise<void> {
  disk = failingDisk();
  system = await startSystem({
    env: {
      KAUKE_DATA_DIR: dataDir,
      ...relayTo(mx),
      KAUKE_RETRY_SCHEDULE: Array.from({ length: 60 }, () => "1s").join(","),
      KAUKE_WEBHOOK_ALLOW: "127.0.0.1",
    },
    overrides: { store: { disk: disk.disk } },
  });
}

const aMessage = (body = "body") => {
  const header = `From: Ann <ann@example.org>\r\nSubject: hi\r\nMessage-ID: <${++sent}@example.org>\r\n`;
  return `${header}\r\n${body} ${sent}\r\n`;
};
/** Sends the message to an alias. @returns the server's last SMTP reply */
const send = async (to: string, message: string) => (await sendMail({ port: system.mxPort, to, message })).last;
const takenAt = (inbox: string) => mx.messages.filter(({ rcptTo }) => rcptTo.includes(inbox));

async function alias(...destinations: string[]): Promise<string> {
  const made = await person.createAlias({ forwardTo: destinations.join(", ") });
  return `${made.alias}@${made.domain}`;
}

async function spoolFiles(): Promise<string[]> {
  const found = await readdir(join(dataDir, "spool"), { recursive: true, withFileTypes: true }).catch(() => []);
  return found.filter((entry) => entry.isFile()).map(({ name }) => name);
}

const notKept = "451 4.3.0 The message can't be kept safely now, please try again later";
/** Waits until the spool is empty: a body's file is deleted after the last queue row that refers to it. */
const untilDrained = () =>
  vi.waitFor(
    async () => {
      expect(await system.server.store.deliveries.count()).toBe(0);
      expect(await spoolFiles()).toEqual([]);
    },
    { timeout: 15_000, interval: 50 },
  );

describe("a disk on which one call fails", () => {
  // `makeDirectory` comes first, because only the first message is certain to create a directory of the spool.
  const calls: [DiskCall, "EIO" | "ENOSPC" | "EDQUOT"][] = [
    ["makeDirectory", "ENOSPC"],
    ["create", "ENOSPC"],
    ["write", "ENOSPC"],
    ["write", "EDQUOT"],
    ["sync", "EIO"],
    ["rename", "EIO"],
    ["syncDirectory", "EIO"],
  ];
  test.each(calls)(
    "%s with %s: 451 and nothing left behind, and the mail is delivered afterwards",
    async (call, code) => {
      const inbox = `refused-${call}-${code}@inbox.example`;
      const to = await alias(inbox);
      const message = aMessage();
      deferring.add(inbox);
      disk.failing = { call, code };
      expect(await send(to, message)).toBe(notKept);
      expect(disk.refused).toBeGreaterThan(0);
      expect(await spoolFiles()).toEqual([]);
      expect(await system.server.store.deliveries.count()).toBe(0);
      disk.failing = null;
      expect(await send(to, message)).toMatch(/^250 /);
      expect(await spoolFiles()).toHaveLength(1);
      deferring.clear();
      await untilDrained();
      expect(takenAt(inbox)).toHaveLength(1);
    },
  );

  test("mail that needs no spool is delivered nevertheless", async () => {
    const to = await alias("straight@inbox.example");
    disk.failing = { call: "create", code: "ENOSPC" };
    expect(await send(to, aMessage())).toMatch(/^250 /);
    expect(takenAt("straight@inbox.example")).toHaveLength(1);
  });

  test("postmaster's mail is not acknowledged if it can't be stored", async () => {
    disk.failing = { call: "sync", code: "EIO" };
    expect(await send("postmaster@kauke.test", aMessage())).toBe(notKept);
    expect(await system.server.store.deliveries.countKeptForOperator()).toBe(0);
    expect(await spoolFiles()).toEqual([]);
  });
});

describe("a copy delivered to one destination when the others could not be stored", () => {
  test("is not repeated when the sender tries again, however often, and the open copies arrive once", async () => {
    const to = await alias("quick@inbox.example", "slow@inbox.example", hook.url);
    const message = aMessage();
    deferring.add("slow@inbox.example");
    disk.failing = { call: "write", code: "ENOSPC" };
    for (const trace of ["", "Received: from a.example by b.example; Sat, 21 Nov 2026 09:00:00 +0000\r\n"]) {
      expect(await send(to, trace + message)).toBe(notKept);
    }
    disk.failing = null;
    expect(await send(to, message)).toMatch(/^250 /);
    deferring.clear();
    await untilDrained();
    expect(takenAt("quick@inbox.example")).toHaveLength(1);
    expect(takenAt("slow@inbox.example")).toHaveLength(1);
    expect(hook.requests).toHaveLength(1);
  });

  test("does not stop another message, or the same one to another alias, from arriving", async () => {
    const [first, second] = [await alias("one@inbox.example", "late@inbox.example"), await alias("one@inbox.example")];
    const message = aMessage();
    deferring.add("late@inbox.example");
    disk.failing = { call: "write", code: "ENOSPC" };
    expect(await send(first, message)).toBe(notKept);
    expect(await send(second, message)).toMatch(/^250 /);
    disk.failing = null;
    expect(await send(first, message.replace("body", "another body"))).toMatch(/^250 /);
    expect(takenAt("one@inbox.example")).toHaveLength(3);
    deferring.clear();
    await untilDrained();
  });
});

test("an alias with a thousand messages queued gets 452 at RCPT, and is served again when one is gone", async () => {
  const { store } = system.server;
  const made = await person.createAlias({ forwardTo: "full@inbox.example" });
  const to = `${made.alias}@${made.domain}`;
  deferring.add("full@inbox.example");
  expect(await send(to, aMessage())).toMatch(/^250 /);
  const tomorrow = new Date(Date.now() + 86_400_000);
  await insertDeferred(made.id, { count: 999, notBefore: tomorrow });
  const full = await sendMail({ port: system.mxPort, to, message: aMessage() });
  expect(full.last).toBe("452 4.2.2 Too much undelivered mail, please try again later");
  deferring.clear();
  await vi.waitFor(async () => expect(await store.deliveries.countForAlias(made.id)).toBe(999), { timeout: 15_000 });
  expect(await send(to, aMessage())).toMatch(/^250 /);
  expect(takenAt("full@inbox.example")).toHaveLength(2);
  await person.call("DELETE", `/api/aliases/${made.id}`);
  expect(await store.deliveries.count()).toBe(0);
});

async function insertDeferred(
  aliasId: string,
  { count, notBefore }: { count: number; notBefore: Date },
): Promise<void> {
  const messageId = randomUUID();
  const now = new Date();
  const envelope = { envelopeFrom: "", helo: "a.example", clientAddress: "192.0.2.1", protocol: "ESMTP" as const };
  const message = {
    id: messageId,
    envelope: { ...envelope, receivedAt: now, eightBit: false, smtpUtf8: false },
    sizeBytes: 1,
    createdAt: now,
  };
  const destination = { kind: "mailbox" as const, address: "full@inbox.example" };
  const row = { messageId, aliasId, userId: person.user.id, attempts: 1, createdAt: now, notBefore };
  const rest = { target: { destination, aliasAddress: "full@kauke.test" }, lease: null, lastFailure: null };
  const rows = Array.from({ length: count }, () => ({ id: randomUUID(), ...row, ...rest }));
  await system.server.store.deliveries.enqueue(message, rows);
}

test("a database that can't fsync acknowledges nothing from then on; after a restart nothing is lost and mail is delivered", async () => {
  const before = await alias("before@inbox.example");
  const during = await alias("during@inbox.example");
  const message = aMessage();
  deferring.add("before@inbox.example").add("during@inbox.example");
  expect(await send(before, aMessage())).toMatch(/^250 /);
  disk.failing = { call: "database fsync", code: "EIO" };
  expect(await send(during, message)).toMatch(/^4\d\d /);
  // The kernel may have dropped pages that it could not write, so the database stays unusable although the disk works
  // again.
  disk.failing = null;
  for (let again = 0; again < 3; again++) expect(await send(during, message)).toMatch(/^4\d\d /);
  expect(await spoolFiles()).toHaveLength(1);
  await system.close();
  deferring.clear();
  await start();
  expect(await send(during, message)).toMatch(/^250 /);
  await untilDrained();
  expect(takenAt("before@inbox.example")).toHaveLength(1);
  expect(takenAt("during@inbox.example")).toHaveLength(1);
});
