/** Checks that reading a file takes time in proportion to its size, whatever its content. */
import { describe, expect, test } from "vitest";
import { readImport } from "./read-import.ts";

async function* chunked(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += 65_536) yield bytes.subarray(from, from + 65_536);
}

async function readAll(file: string): Promise<void> {
  const { rows } = await readImport(chunked(Buffer.from(file)));
  for await (const row of rows) expect(row.row).toBeGreaterThan(0);
}

describe("reading an import file takes time in proportion to its size", () => {
  const list = (count: number) => Array.from({ length: count }, (_, index) => index);
  test.each([
    [
      "CSV",
      (count: number) =>
        `alias,note,enabled,mailboxes\n${list(count)
          .map((it) => `a${it}@x.example,"n ""q""",True,y@x.example`)
          .join("\n")}`,
    ],
    ["CSV of quotes", (count: number) => `alias,note,enabled,mailboxes\n${'"""","""",\n'.repeat(count)}`],
    ["a CSV cell that never ends", (count: number) => `alias,note,enabled,mailboxes\n"${"a".repeat(count * 4)}`],
    [
      "JSON",
      (count: number) =>
        JSON.stringify(list(count).map((it) => ({ full_address: `a${it}@x.example`, enabled: true, used_on: '"[{' }))),
    ],
    [
      "DNS records",
      (count: number) =>
        list(count)
          .map((it) => `forward-email=a${it}:x@y.example`)
          .join("\n"),
    ],
    [
      "DNS records in one line",
      (count: number) =>
        `forward-email=${list(count)
          .map((it) => `a${it % 99}:x@y.example`)
          .join(",")}`,
    ],
  ])("%s", async (_, make) => {
    const time = async (file: string) => {
      const begun = process.cpuUsage();
      await readAll(file).catch(() => null);
      const { user, system } = process.cpuUsage(begun);
      return user + system;
    };
    const [small, large] = [make(2000), make(16_000)];
    await time(small);
    const base = Math.min(await time(small), await time(small), await time(small));
    // Eight times the size may take eight times as long; the factor two allows for noise.
    expect(await time(large)).toBeLessThan(16 * base + 50_000);
  });
});
