/** Who can fill the store of attachments, or the memory: many uploads at once, slow ones, and one greedy account. */
import { request } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { printFigures } from "@kauke/testkit/long-rounds";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { makeDataDir, removeDataDirs } from "@kauke/testkit/server-process";
import { startSystem, type TestSystem } from "@kauke/testkit/system";
import { afterAll, beforeAll, expect, test } from "vitest";

const MIB = 1024 * 1024;
const FILE_BYTES = 25_000_000;
/** Growth of the process, clients included, while 20 files of 25 MB arrive: 500 MB in all. */
const GROWTH_MAX = 200 * MIB;

let system: TestSystem;
let all: Person[];

beforeAll(async () => {
  // Without a directory, the store itself would be in this process' memory.
  const env = { KAUKE_MAX_MESSAGE_BYTES: String(40 * MIB), KAUKE_DATA_DIR: await makeDataDir() };
  system = await startSystem({ env });
  all = await Promise.all(Array.from({ length: 7 }, () => registerPerson(system.url)));
}, 120_000);
afterAll(async () => {
  await system.close();
  await removeDataDirs();
});

const block = Buffer.alloc(64 * 1024, "attached ");

/** Uploads a file of repeated blocks as fast as the server reads. @returns status; 0 when the connection broke */
function upload(person: Person, sizeBytes: number, { isSlow = false } = {}): Promise<number> {
  const headers = {
    cookie: person.cookie,
    "content-type": "application/octet-stream",
    "content-length": String(sizeBytes),
  };
  const { hostname, port } = new URL(system.url);
  return new Promise((resolve) => {
    const sent = request({ hostname, port, method: "POST", path: "/api/email-attachments", headers });
    sent.on("response", (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on("error", () => resolve(0));
    const write = (left: number): void => {
      if (left === 0) return void sent.end();
      const part = block.subarray(0, Math.min(left, block.length));
      const go = () => write(left - part.length);
      if (isSlow) return void (sent.write(part), setTimeout(go, 1000));
      if (sent.write(part)) setImmediate(go);
      else sent.once("drain", go);
    };
    write(sizeBytes);
  });
}

test("twenty files of 25 MB at once take no more memory than a fixed bound", async () => {
  const before = process.memoryUsage().rss;
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 10);
  // An account may send three files at once here, below its share of four large bodies.
  const statuses = await Promise.all(
    Array.from({ length: 20 }, (_, at) => upload(all[at % all.length] as Person, FILE_BYTES)),
  );
  clearInterval(watch);
  printFigures("twenty attachments of 25 MB", { "grown by MiB": Math.round((peak - before) / MIB) });
  expect(statuses).toEqual(Array.from({ length: 20 }, () => 201));
  expect(peak - before).toBeLessThan(GROWTH_MAX);
}, 120_000);

test("an account that uploads without end is stopped at its share, and others go on", async () => {
  const [greedy, other] = all as [Person, Person];
  const statuses = [];
  for (let at = 0; at < 10; at += 1) statuses.push(await upload(greedy, FILE_BYTES));
  expect(new Set(statuses)).toEqual(new Set([201, 409]));
  expect(statuses.filter((status) => status === 201).length).toBeLessThanOrEqual(7);
  expect(await upload(other, FILE_BYTES)).toBe(201);
}, 120_000);

test("an account's slow uploads take no place from others, and more than its share are refused at once", async () => {
  const [, , slow, other] = all as [Person, Person, Person, Person];
  const held = Array.from({ length: 4 }, () => upload(slow, MIB, { isSlow: true }));
  await wait(500);
  expect(await upload(slow, MIB)).toBe(429);
  expect(await upload(other, FILE_BYTES)).toBe(201);
  expect(await Promise.all(held)).toEqual([201, 201, 201, 201]);
}, 120_000);
