import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

/** Runs a module in a process of its own. @returns what V8 complains about */
function complaints(source: string): string {
  return spawnSync(process.execPath, ["--input-type=module", "--eval", source], { encoding: "utf8" }).stderr;
}

test("this version of V8 knows every flag of the heap", () => {
  const heapFlags = JSON.stringify(new URL("./heap-flags.ts", import.meta.url).href);
  expect(complaints(`import { setHeapFlags } from ${heapFlags}; setHeapFlags();`)).toBe("");
  expect(complaints(`import v8 from "node:v8"; v8.setFlagsFromString("--no-such-flag=1");`)).toContain("no-such-flag");
});
