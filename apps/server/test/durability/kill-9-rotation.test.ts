/**
 * kill -9 while all rows are sealed anew after a rotation of keys: the next start resumes, and every row can be opened
 * at any time.
 */
import { join } from "node:path";
import { controlClient } from "@kauke/server/cli/control/control-client";
import { controlPath } from "@kauke/server/cli/control/control-protocol";
import { inDirectory, plantAliases } from "@kauke/server/store/planted-rows.testing";
import { countOlderRows } from "@kauke/server/store/sealing/reseal";
import { isLongRun, printFigures } from "@kauke/testkit/long-rounds";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { makeDataDir, removeDataDirs, type ServerProcess, startServerProcess } from "@kauke/testkit/server-process";
import { afterAll, beforeAll, expect, it } from "vitest";

const ALIASES = 4000;
const KILL_ROUNDS = 40;

let dataDir: string;
let server: ServerProcess;
let jonas: Person;

beforeAll(async () => {
  dataDir = await makeDataDir();
  server = await startServerProcess({ dataDir });
  jonas = await registerPerson(server.url);
  await server.stop();
  await inDirectory(dataDir, (place) => plantAliases(place, jonas.user.id, ALIASES));
}, 120_000);
afterAll(async () => {
  await server.kill();
  await removeDataDirs();
});

const control = () => controlClient(controlPath(dataDir) ?? join(dataDir, "kauke.sock"));

async function stateOnceItIs(isSo: (resealed: number, step: string) => boolean) {
  for (const giveUpAt = Date.now() + 60_000; ; ) {
    const state = await control()["keys-state"]({});
    if (isSo(state.resealed, state.step)) return state;
    if (Date.now() > giveUpAt) throw new Error(`not reached in time: ${JSON.stringify(state)}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function listAliases(): Promise<{ forwardTo: string }[]> {
  const answer = await fetch(`${server.url}/api/aliases/${jonas.user.id}`, { headers: { cookie: jonas.cookie } });
  return ((await answer.json()) as { aliases: { forwardTo: string }[] }).aliases;
}

/** Counts rows sealed with an older key, while no process has the directory open. */
const countOlder = () => inDirectory(dataDir, ({ db, keys }) => countOlderRows({ db }, { keyId: keys.sealingKeyId() }));

it.runIf(isLongRun)(
  "a kill in the middle leaves every row readable, and the next start seals the remaining ones anew",
  async () => {
    for (let round = 1; round <= KILL_ROUNDS; round += 1) {
      server = await startServerProcess({ dataDir });
      expect(await control()["keys-rotate"]({})).toMatchObject({ step: "reseals" });
      const atKill = await stateOnceItIs((resealed) => resealed >= ALIASES / 4);
      await server.kill();
      const left = await countOlder();
      printFigures("kill -9 in a rotation", { round, "sealed anew": atKill.resealed, of: atKill.total ?? "?", left });
      // The process was killed in the middle of resealing: some rows were resealed and some were not.
      expect(left).toBeGreaterThan(0);
      expect(left).toBeLessThan(atKill.total ?? 0);

      server = await startServerProcess({ dataDir });
      expect(await listAliases()).toHaveLength(ALIASES);
      await stateOnceItIs((resealed, step) => step === "none" && resealed >= left);
      expect((await control()["keys-list"]({})).filter(({ use }) => use === "seals")).toHaveLength(1);
      const { rotation } = await control().facts({});
      expect(rotation).toEqual({ step: "none", resealed: left, total: left, isOpen: false });
      await server.kill();
      expect(await countOlder()).toBe(0);
      expect(server.output()).not.toMatch(/key_rotation_failed|"level":"error"/);
    }
    server = await startServerProcess({ dataDir });
    expect(new Set((await listAliases()).map(({ forwardTo }) => forwardTo))).toEqual(new Set(["ann@example.org"]));
  },
  3_600_000,
);
