/**
 * Reads, runs and undoes an import of many rows in its own process, started by `import-load-cost.test.ts`. Prints as
 * JSON the longest times for which the event loop was blocked, and the memory used.
 */
import { randomUUID } from "node:crypto";
import { readImport } from "@kauke/alias-import";
import { mailDomains } from "@kauke/server/core/domain/mail-domains";
import { createImport } from "@kauke/server/core/import/create-import";
import { ImportRunner, runImport, undoImport } from "@kauke/server/core/import/run-import";
import { systemClock, systemRandom } from "@kauke/server/runtime/ports";
import { openStore } from "@kauke/server/store/open-store";
import { putEmptyDatabase } from "@kauke/testkit/empty-database";
import { memoryOf } from "@kauke/testkit/process-figures";

const rows = Number(process.argv[2]);
const longest: Record<string, number> = {};
let phase = "start";
let last = cpuMs();

/**
 * CPU time of the main thread in milliseconds. Unlike the clock, it does not advance while other programs use the
 * cores.
 */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

// CPU time spent between two calls of this timer is time for which the event loop was blocked.
setInterval(() => {
  const now = cpuMs();
  longest[phase] = Math.max(longest[phase] ?? 0, now - last);
  last = now;
}, 1).unref();

async function* file(rows: number): AsyncGenerator<Uint8Array> {
  let text = "alias,note,enabled,mailboxes\n";
  for (let row = 0; row < rows; row += 1) {
    const ending = ["kauke.test", "sl.example"][row % 2];
    text += `name-${row}@${ending},"Shop ${row}, ""the big one""",${row % 3 ? "True" : "False"},ann@people.example bo@people.example\n`;
    if (text.length < 65_536) continue;
    yield Buffer.from(text);
    text = "";
  }
  yield Buffer.from(text);
}

const dataDir = process.argv[3] ?? "";
await putEmptyDatabase(dataDir, {});
const store = await openStore({ databaseUrl: null, dataDir, secretKey: null });
const userId = randomUUID();
const now = new Date();
await store.users.insert({
  id: userId,
  email: "ann@people.example",
  emailConfirmedAt: now,
  walletAddress: null,
  googleId: null,
  passwordHash: null,
  authMethod: "email",
  firstName: null,
  lastName: null,
  profileImageUrl: null,
  balanceCents: 0,
  createdAt: now,
  updatedAt: now,
} as Parameters<typeof store.users.insert>[0]);
const deps = {
  ...store,
  clock: systemClock,
  random: systemRandom,
  mailDomains: mailDomains(["kauke.test"], store.provenDomains),
  limitRules: null,
  confirmation: null,
  logger: { info() {}, warn() {}, error: (event: string) => console.error(event) },
};
const runner = new ImportRunner(deps);
const seconds: Record<string, number> = {};

async function timed<T>(name: string, work: () => Promise<T>): Promise<T> {
  await new Promise((resolve) => setTimeout(resolve, 50));
  phase = name;
  const begun = performance.now();
  const result = await work();
  seconds[name] = Math.round(performance.now() - begun) / 1000;
  phase = "between";
  return result;
}

/**
 * Reads, runs and undoes an import of `count` aliases.
 * @returns number of stored rows and of created aliases
 */
async function importWhole(count: number, prefix = ""): Promise<{ stored: number; made: number }> {
  const open = () => readImport(file(count));
  const planned = await timed(`${prefix}read`, () =>
    createImport(deps, { userId, domain: undefined, label: null, clientAddress: "127.0.0.1", open }),
  );
  await timed(`${prefix}run`, async () => {
    runner.continue(await runImport(deps, { userId, importId: planned.id, clientAddress: "127.0.0.1" }));
    await runner.settled();
  });
  const made = (await store.imports.find(userId, planned.id))?.summary.made ?? 0;
  await timed(`${prefix}undo`, async () => {
    runner.continue(await undoImport(deps, { userId, importId: planned.id }));
    await runner.settled();
  });
  return { stored: planned.rows, made };
}

// Warm-up: the first use of each statement compiles code, once per process.
await importWhole(1000, "first ");
const { stored, made } = await importWhole(rows);
const left = await store.aliases.count();
const figures = { longest, seconds, made, left, peakMib: memoryOf(process.pid)?.peakMib ?? 0, rows: stored };
process.stdout.write(`${JSON.stringify(figures)}\n`);
await store.close();
