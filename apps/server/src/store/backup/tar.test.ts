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

/** Yields the bytes in chunks that do not align with the blocks of a tar file. */
async function* inChunks(bytes: Buffer, length = 777) {
  for (let from = 0; from < bytes.length; from += length) yield bytes.subarray(from, from + length);
}

async function unpacked(bytes: Buffer): Promise<[string, string | null][]> {
  const found: [string, string | null][] = [];
  for await (const { name, file: content } of readTar(inChunks(bytes)))
    found.push([name, content === null ? null : await text(Readable.from(content.read()))]);
  return found;
}

it("reads the entries it has written, including empty files and directories", async () => {
  const long = "x".repeat(100_000);
  const entries = [{ name: "spool", file: null }, file("spool/a", "one"), file("spool/b", ""), file("db/1", long)];
  expect(await unpacked(await packed(...entries))).toEqual([
    ["spool", null],
    ["spool/a", "one"],
    ["spool/b", ""],
    ["db/1", long],
  ]);
});

it("the system's tar program reads an archive", async () => {
  const bytes = await packed({ name: "db", file: null }, file("db/a", "one"), file("db/b", "two".repeat(300)));
  expect(execFileSync("tar", ["-tf", "-"], { input: bytes, encoding: "utf8" })).toBe("db/\ndb/a\ndb/b\n");
});

it("a truncated or changed archive is refused, wherever the change is", async () => {
  const bytes = await packed(file("a", "one"), file("b", "two".repeat(1000)));
  for (const length of [100, 512, 600, 1500, 4000])
    await expect(unpacked(bytes.subarray(0, length))).rejects.toThrow(TarError);
  const changed = Buffer.from(bytes).fill("7", 124, 130);
  await expect(unpacked(changed)).rejects.toThrow(TarError);
});

it("writing refuses a name too long for the format, and a file shorter than its stated size", async () => {
  await expect(packed(file("x".repeat(101), ""))).rejects.toThrow(TarError);
  const short: TarEntry = { name: "a", file: { sizeBytes: 5, read: () => Readable.from([Buffer.from("one")]) } };
  await expect(packed(short)).rejects.toThrow(TarError);
});
