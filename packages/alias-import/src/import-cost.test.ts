/** Checks that reading a file takes time in proportion to its size, and little memory, whatever its content. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { strToU8, zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { readImport } from "./read-import.ts";

async function* chunked(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += 65_536) yield bytes.subarray(from, from + 65_536);
}

async function readAll(file: string | Uint8Array): Promise<void> {
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
          .map((one) => `a${one}@x.example,"n ""q""",True,y@x.example`)
          .join("\n")}`,
    ],
    ["CSV of quotes", (count: number) => `alias,note,enabled,mailboxes\n${'"""","""",\n'.repeat(count)}`],
    ["a CSV cell that never ends", (count: number) => `alias,note,enabled,mailboxes\n"${"a".repeat(count * 4)}`],
    [
      "Mailx' export with descriptions of many lines",
      (count: number) =>
        `alias,description,enabled,recipients\n${`a@x.example,${"x,\n".repeat(99)}`.repeat(count / 10)}`,
    ],
    [
      "JSON",
      (count: number) =>
        JSON.stringify(
          list(count).map((one) => ({ full_address: `a${one}@x.example`, enabled: true, used_on: '"[{' })),
        ),
    ],
    [
      "DNS records",
      (count: number) =>
        list(count)
          .map((one) => `forward-email=a${one}:x@y.example`)
          .join("\n"),
    ],
    [
      "DNS records in one line",
      (count: number) =>
        `forward-email=${list(count)
          .map((one) => `a${one % 99}:x@y.example`)
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

const archive = (files: Record<string, string>) =>
  zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])));

describe("a small archive that unpacks to a large one", () => {
  const lists = `[${"[],".repeat(20_000)}1]`;
  const alias = (more: string) => `{"email":"a@sl.example","enabled":true,${more}}`;
  const of = (element: string, count: number) => `[${Array(count).fill(element).join(",")}]`;

  test.each([
    ["alias with values of any kind", { "aliases.json": of(alias(`"mailbox_id":${lists},"delete_on":${lists}`), 100) }],
    [
      "mailbox named by anything",
      { "mailboxes.json": of(`{"id":${lists},"email":${lists}}`, 200), "aliases.json": of(alias('"note":""'), 1) },
    ],
    [
      "long text",
      { "aliases.json": of(alias(`"note":"${"n".repeat(100_000)}","email2":"${"e".repeat(50_000)}"`), 200) },
    ],
  ])("keeps little of it in memory: %s", async (_, files) => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const file = archive(files);
    collect();
    const before = process.memoryUsage().heapUsed;
    const { rows } = await readImport(chunked(file));
    for await (const row of rows) {
      expect(row.row).toBe(1);
      collect();
      expect((process.memoryUsage().heapUsed - before) / 1_048_576).toBeLessThan(8);
      break;
    }
  });

  test("lets other work have turns of the event loop while it is read", async () => {
    const file = archive({ "aliases.json": of(alias(`"note":"${"n".repeat(60_000)}"`), 100) });
    expect(file.length).toBeLessThan(65_536);
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await readAll(file);
    isOver = true;
    // The archive unpacks to 6 MB, which is read in slices of 64 KiB.
    expect(turns).toBeGreaterThan(60);
  });
});

test("of an endless list of destinations for one alias, little is kept in memory", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const line = `forward-email=${"a:bc,".repeat(12_000)}\n`;
  const file = Buffer.from(line.repeat(100));
  collect();
  const before = process.memoryUsage().heapUsed;
  const { rows } = await readImport(chunked(file));
  for await (const row of rows) {
    expect(row.destinations).toHaveLength(100);
    collect();
    expect((process.memoryUsage().heapUsed - before) / 1_048_576).toBeLessThan(8);
    break;
  }
});
