/** What the server says of its health and its last backup, for the admin page. */
import { join } from "node:path";
import { closeAfterEach } from "@kauke/testkit/close-after-each";
import { makeDataDir, removeDataDirs } from "@kauke/testkit/server-process";
import { startSystem } from "@kauke/testkit/system";
import { afterAll, expect, test } from "vitest";

afterAll(removeDataDirs);
const later = closeAfterEach();

test("the checks of doctor run once however many ask, and again after a minute", async () => {
  let now = Date.now();
  const system = await startSystem({ overrides: { clock: { now: () => new Date(now) } } });
  later.push(() => system.close());
  const { health } = system.server.control;
  const [first, second] = await Promise.all([health({}), health({})]);
  expect(second).toBe(first);
  expect(first.checkedAt).toBe(new Date(now).toISOString());
  expect(first.checks.map(({ check, state }) => [check, state])).toContainEqual(["server", "ok"]);
  now += 59_000;
  expect(await health({})).toBe(first);
  now += 2000;
  expect((await health({})).checkedAt).toBe(new Date(now).toISOString());
});

test("the last backup that the command wrote is known, and a refused one changes nothing", async () => {
  const dataDir = await makeDataDir();
  let now = Date.parse("2026-03-01T12:00:00.000Z");
  const overrides = { clock: { now: () => new Date(now) } };
  const system = await startSystem({ env: { KAUKE_DATA_DIR: dataDir }, overrides });
  later.push(() => system.close());
  const { backup, facts } = system.server.control;
  const request = { file: join(await makeDataDir(), "monday.kauke"), withSecretKey: false };
  expect((await facts({})).lastBackupAt).toBeNull();
  await backup(request);
  expect((await facts({})).lastBackupAt).toBe("2026-03-01T12:00:00.000Z");
  now += 1000;
  await expect(backup(request)).rejects.toThrow("There is a file of this name already.");
  expect((await facts({})).lastBackupAt).toBe("2026-03-01T12:00:00.000Z");
  const acts = await system.server.control["acts-list"]({ isAll: false });
  expect(acts.map(({ act, on }) => [act, on])).toEqual([["backup_written", "monday.kauke"]]);
}, 60_000);
