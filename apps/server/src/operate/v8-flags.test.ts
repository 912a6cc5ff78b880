import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

/** Runs a module in a process of its own. @returns what V8 complains about */
function complaints(source: string): string {
  return spawnSync(process.execPath, ["--input-type=module", "--eval", source], { encoding: "utf8" }).stderr;
}

test("this version of V8 knows every flag that is set", () => {
  const flags = JSON.stringify(new URL("./v8-flags.ts", import.meta.url).href);
  expect(complaints(`import { setV8Flags } from ${flags}; setV8Flags();`)).toBe("");
  expect(complaints(`import v8 from "node:v8"; v8.setFlagsFromString("--no-such-flag=1");`)).toContain("no-such-flag");
});
