import { execFileSync } from "node:child_process";
import { Readable } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { readTar, type TarEntry, TarError, writeTar } from "./tar.ts";

const file = (name: string, content: string): TarEntry => ({
  name,
  file: { sizeBytes: Buffer.byteLength(content), read: () => Readable.from([Buffer.from(content)]) },
});

function packed(...entries: TarEntry[]): Promise<Buffer> {
  return buffer(Readable.from(writeTar(Readable.from(entries))));
}

/** In pieces that fit no block. */
async function* inPieces(bytes: Buffer, length = 777) {
  for (let from = 0; from < bytes.length; from += length) yield bytes.subarray(from, from + length);
}

async function unpacked(bytes: Buffer): Promise<[string, string | null][]> {
  const found: [string, string | null][] = [];
  for await (const { name, file: content } of readTar(inPieces(bytes)))
    found.push([name, content === null ? null : await text(Readable.from(content.read()))]);
  return found;
}

it("what is written is read again, empty files and folders too", async () => {
  const long = "x".repeat(100_000);
  const entries = [{ name: "spool", file: null }, file("spool/a", "one"), file("spool/b", ""), file("db/1", long)];
  expect(await unpacked(await packed(...entries))).toEqual([
    ["spool", null],
    ["spool/a", "one"],
    ["spool/b", ""],
    ["db/1", long],
  ]);
});

it("the system's tar reads it", async () => {
  const bytes = await packed({ name: "db", file: null }, file("db/a", "one"), file("db/b", "two".repeat(300)));
  expect(execFileSync("tar", ["-tf", "-"], { input: bytes, encoding: "utf8" })).toBe("db/\ndb/a\ndb/b\n");
});

it("a file that is cut off or changed is told, wherever it was", async () => {
  const bytes = await packed(file("a", "one"), file("b", "two".repeat(1000)));
  for (const length of [100, 512, 600, 1500, 4000])
    await expect(unpacked(bytes.subarray(0, length))).rejects.toThrow(TarError);
  const changed = Buffer.from(bytes).fill("7", 124, 130);
  await expect(unpacked(changed)).rejects.toThrow(TarError);
});

it("a name too long for the format, or a file shorter than it said, is refused", async () => {
  await expect(packed(file("x".repeat(101), ""))).rejects.toThrow(TarError);
  const short: TarEntry = { name: "a", file: { sizeBytes: 5, read: () => Readable.from([Buffer.from("one")]) } };
  await expect(packed(short)).rejects.toThrow(TarError);
});
