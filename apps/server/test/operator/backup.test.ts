/**
 * A backup while mail flows, restored into a new directory: the accounts exist, and a server on that directory delivers
 * every message acknowledged before the backup began.
 */
import { copyFile, lstat, readdir, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SwitchedDestination } from "@kauke/testkit/fakes/switched-destination";
import { LoadSender } from "@kauke/testkit/load-sender";
import { registerPerson } from "@kauke/testkit/person";
import { kaukeInTurns } from "@kauke/testkit/programs/kauke-in-turns";
import { makeDataDir, removeDataDirs, type ServerProcess, startServerProcess } from "@kauke/testkit/server-process";
import { afterAll, beforeAll, expect, it } from "vitest";

let folder: string;
let file: string;
let dataDir: string;
let destination: SwitchedDestination;
let env: Record<string, string>;
const running: ServerProcess[] = [];

async function serve(at: string): Promise<ServerProcess> {
  const server = await startServerProcess({ dataDir: at, env });
  running.push(server);
  return server;
}

beforeAll(async () => {
  [folder, dataDir] = [await makeDataDir(), await makeDataDir()];
  file = join(folder, "kauke.backup");
  destination = await SwitchedDestination.start();
  env = {
    KAUKE_DELIVERY: "relay",
    KAUKE_RELAY_URL: `smtp://127.0.0.1:${destination.port}`,
    KAUKE_RETRY_SCHEDULE: Array.from({ length: 100 }, () => "1s").join(","),
    KAUKE_LIMITS: "off",
  };
});
afterAll(async () => {
  for (const server of running) await server.kill();
  await destination.close();
  await removeDataDirs();
});

async function until(isSo: () => boolean, what: string, timeoutMs = 60_000): Promise<void> {
  for (const giveUpAt = Date.now() + timeoutMs; !isSo(); ) {
    if (Date.now() > giveUpAt) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

it("messages acknowledged before the backup began are delivered from its copy, and the accounts exist", async () => {
  const server = await serve(dataDir);
  const person = await registerPerson(server.url, "jonas.backup@people.example");
  const alias = await person.createAlias({ alias: "shop", forwardTo: "jonas@inbox.example" });
  // The destination fails: some messages are in an attempt while their sender waits, some are queued.
  await destination.goDown("4xx at the dot");
  // Without a pause the alias would reach its limit in the spool while the backup is made, and no more mail be
  // acknowledged.
  const sender = new LoadSender({ sessions: 6, restMs: 100, addressOf: () => `${alias.alias}@${alias.domain}` });
  const load = sender.start(server.mxPort);
  const { acknowledged } = sender.records;
  await until(() => acknowledged.size >= 25, "25 messages");
  const before = new Set(acknowledged);
  const { code, out, err } = await kaukeInTurns(["backup", file], { dataDir, env });
  expect([code, err]).toEqual([0, ""]);
  expect(out).toMatch(/^Written, \d+ bytes\. It does not contain the key/);
  // Mail kept flowing during the backup and still does; the messages acknowledged from now on are in no backup.
  const during = acknowledged.size;
  await until(() => acknowledged.size >= during + 10, "mail after the backup");
  const later = [...acknowledged].filter((number) => !before.has(number));
  load.stop();
  await load.ended;
  await server.kill();

  expect([(await lstat(file)).mode & 0o777, await readdir(folder)]).toEqual([0o600, ["kauke.backup"]]);
  expect((await readdir(dataDir)).filter((name) => name.startsWith(".backup"))).toEqual([]);
  const restored = join(folder, "restored");
  const answer = await kaukeInTurns(["restore", file, "--data-dir", restored], { dataDir });
  expect([answer.code, answer.out.includes("secret.key")]).toEqual([0, true]);
  expect((await readdir(restored)).sort()).toEqual(["db", "spool", "underway"]);
  await copyFile(join(dataDir, "secret.key"), join(restored, "secret.key"));
  await destination.goUp();
  const second = await serve(restored);
  const signedIn = await fetch(`${second.url}/api/aliases/${person.user.id}`, { headers: { cookie: person.cookie } });
  expect(await signedIn.json()).toMatchObject({ aliases: [{ alias: "shop", forwardTo: "jonas@inbox.example" }] });
  await until(() => [...before].every((number) => destination.taken.has(number)), "every message of before");
  expect(destination.damaged).toEqual([]);
  // Control: messages that the backup can't contain are not delivered from it.
  expect(later.some((number) => !destination.taken.has(number))).toBe(true);
  await second.kill();
  expect(server.output() + second.output()).not.toMatch(/jonas\.backup|spool_body_missing/);
}, 120_000);

it("an obstacle is reported in a sentence, and nothing is changed", async () => {
  const restore = (...args: string[]) => kaukeInTurns(["restore", ...args], { dataDir });
  const inUse = await restore(file, "--data-dir", dataDir);
  expect([inUse.code, inUse.err]).toEqual([1, "The data directory is not empty. Restore into a new one.\n"]);
  const damaged = join(folder, "damaged");
  await copyFile(file, damaged);
  await truncate(damaged, Math.floor((await lstat(file)).size / 2));
  const noBackup = join(folder, "text");
  await writeFile(noBackup, "hello");
  for (const broken of [damaged, noBackup]) {
    const { code, err } = await restore(broken, "--data-dir", join(folder, "new"));
    expect([code, err]).toEqual([1, "The file is no backup of Kauke, or it is damaged.\n"]);
  }
  const missing = await restore(join(folder, "nothing"), "--data-dir", join(folder, "new"));
  expect(missing.err).toBe("There is no such file or folder.\n");
  expect((await restore(file)).err).toContain("--data-dir");
  expect((await readdir(folder)).filter((name) => name.startsWith("new"))).toEqual([]);
}, 60_000);

it("without a server the command copies the data itself, never over another file, and includes the key only when asked to", async () => {
  const again = await kaukeInTurns(["backup", file], { dataDir, env });
  expect([again.code, again.err]).toEqual([1, "There is a file of this name already. Choose another one.\n"]);
  const whole = join(folder, "with-key");
  expect((await kaukeInTurns(["backup", whole, "--with-secret-key"], { dataDir, env })).code).toBe(0);
  const restored = join(folder, "with-key-restored");
  expect((await kaukeInTurns(["restore", whole, "--data-dir", restored], { dataDir })).out).not.toContain("secret.key");
  expect((await lstat(join(restored, "secret.key"))).mode & 0o777).toBe(0o600);
  const users = await kaukeInTurns(["users", "--json"], { dataDir: restored });
  expect(JSON.parse(users.out)).toMatchObject([{ aliases: 1 }]);
}, 60_000);
