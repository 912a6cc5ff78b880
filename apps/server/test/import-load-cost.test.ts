/** Checks that an import of many rows stays within its memory limit and does not block the event loop for long. */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { printFigures, rounds } from "@kauke/testkit/long-rounds";
import { expect, it, onTestFinished } from "vitest";

const program = fileURLToPath(new URL("import-load.ts", import.meta.url));

it("reads 50,000 rows (5,000 in the quick run) within 512 MiB and without holding the event loop for 100 ms", async () => {
  const rows = rounds(5000, 50_000);
  const dataDir = await mkdtemp(join(tmpdir(), "kauke-import-"));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  const options = { timeout: 600_000 };
  const { stdout } = await promisify(execFile)(process.execPath, [program, String(rows), dataDir], options);
  const { longest, seconds, made, left, peakMib, ...rest } = JSON.parse(stdout);
  printFigures("import", { rows: rest.rows, peakMib, ...seconds, longest: JSON.stringify(longest) });
  expect(rest.rows).toBe(rows);
  expect(made).toBe(Math.min(rows, 10_000));
  expect(left).toBe(0);
  expect(peakMib).toBeLessThan(512);
  for (const phase of ["read", "run", "undo"]) expect([phase, longest[phase] < 100]).toEqual([phase, true]);
}, 600_000);
