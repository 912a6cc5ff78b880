import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

const flags = JSON.stringify(new URL("./v8-flags.ts", import.meta.url).href);
const setFlags = `import { setV8Flags } from ${flags}; setV8Flags();`;

/** Runs the source of a module in a process of its own. */
const run = (source: string) =>
  spawnSync(process.execPath, ["--input-type=module", "--eval", source], { encoding: "utf8" });

test("this version of V8 knows every flag that is set", () => {
  expect(run(setFlags).stderr).toBe("");
  expect(run(`import v8 from "node:v8"; v8.setFlagsFromString("--no-such-flag=1");`).stderr).toContain("no-such-flag");
});

/** Source of a module that makes streams, drops each at once, and prints the largest growth of the old generation, in bytes. */
const dropStreams = `
  import { Duplex } from "node:stream";
  import { getHeapSpaceStatistics } from "node:v8";
  const old = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === "old_space").space_used_size;
  globalThis.longLived = Array.from({ length: 300_000 }, (_, number) => ({ number, text: "a" + number }));
  const before = old();
  let most = 0;
  for (let n = 0; n < 400_000; n++) {
    const stream = new Duplex({});
    stream.on("error", () => stream.destroy());
    if (n % 20 === 0) await new Promise((done) => setImmediate(done));
    if (n % 10_000 === 0) most = Math.max(most, old() - before);
  }
  console.log(most);
`;

test("short-lived streams don't fill the old generation, as they do without the flags", () => {
  const withFlags = Number(run(setFlags + dropStreams).stdout);
  const without = Number(run(dropStreams).stdout);
  expect(withFlags).toBeGreaterThan(0);
  expect(without).toBeGreaterThan(64 * 1024 * 1024);
  expect(withFlags).toBeLessThan(without / 3);
});
