/** docs/monitoring: rules and dashboard read only metrics that exist, and every rule was seen to fire and to be silent. */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { counters, gauges } from "@kauke/server/platform/telemetry/metric-table";
import { expect, it } from "vitest";
import { repositoryRoot } from "../source-files.ts";

const folder = join(repositoryRoot(), "docs/monitoring");
const read = (name: string) => readFileSync(join(folder, name), "utf8");
const hasPromtool = spawnSync("promtool", ["--version"]).error === undefined;
if (!hasPromtool) console.log("The rules are not run: promtool is missing (Debian's package prometheus).");

const kinds = { ...counters, ...gauges };
const names = (text: string) => [...text.matchAll(/\b(?:kauke|process|nodejs)_[a-z0-9_]+/g)].map(([name]) => name);

it("rules and dashboard use only metrics and labels of the table", () => {
  for (const file of ["kauke.rules.yml", "grafana.json"]) {
    // What to do may name an event of the log.
    const text = read(file)
      .replaceAll('\\"', '"')
      .replace(/action: .*/g, "");
    expect(names(text).length).toBeGreaterThan(9);
    for (const name of names(text)) expect([file, name, name in kinds]).toEqual([file, name, true]);
    for (const [, name = "", label = "", values = ""] of text.matchAll(/(kauke_\w+)\{(\w+)=~?"([^"]+)"/g))
      for (const value of values.split("|"))
        expect([name, kinds[name]?.labels?.[label]?.includes(value)]).toEqual([name, true]);
  }
});

it("every rule is tested to fire and to be silent", () => {
  const rules = [...read("kauke.rules.yml").matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
  const tests = read("kauke.rules.test.yml");
  expect(rules.length).toBeGreaterThan(9);
  for (const rule of rules)
    for (const what of ["fires", "is silent"]) expect(tests).toContain(`- name: ${rule} ${what}\n`);
});

it.skipIf(!hasPromtool)("promtool sees every rule fire and be silent", () => {
  const run = (...args: string[]) => execFileSync("promtool", args, { cwd: folder, encoding: "utf8" });
  expect(run("check", "rules", "kauke.rules.yml")).toContain("SUCCESS");
  expect(run("test", "rules", "kauke.rules.test.yml")).toContain("SUCCESS");
});
