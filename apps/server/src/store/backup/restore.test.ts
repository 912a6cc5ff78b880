import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { restoreBackup } from "./backup.ts";

let folder: string;
let count = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kauke-restore-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Entry {
  name: string;
  text?: string;
  kind?: string;
  linkTo?: string;
  /** Content of the tar header's size field, if it is to differ from the text's real length. */
  size?: string;
  /** Content of the header field `prefix`: the first part of a name longer than 100 octets. */
  prefix?: string;
}

/** A tar entry as another program, or an attacker, could write it. */
function entry({ name, text = "", kind = "0", linkTo = "", size, prefix = "" }: Entry): Buffer {
  const head = Buffer.alloc(512);
  head.write(name, 0, "utf8");
  head.write("0000777\0", 100);
  head.write(size ?? text.length.toString(8).padStart(11, "0"), 124);
  head.write(kind, 156);
  head.write(linkTo, 157);
  head.write("ustar\x0000", 257);
  head.write(prefix, 345);
  head.write(" ".repeat(8), 148);
  head.write(
    `${head
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, "0")}\0`,
    148,
  );
  return Buffer.concat([head, Buffer.from(text), Buffer.alloc((512 - (text.length % 512)) % 512)]);
}

const manifest: Entry = { name: "kauke-backup.json", text: '{"format":1,"withSecretKey":false}' };
const end = Buffer.alloc(1024);

async function restored(entries: readonly Entry[], after: Buffer = end) {
  const [file, dataDir] = [join(folder, `${++count}.backup`), join(folder, `data-${count}`, "kauke")];
  await writeFile(file, gzipSync(Buffer.concat([...entries.map(entry), after])));
  await mkdir(join(folder, `data-${count}`));
  const outcome = await restoreBackup(file, dataDir).then(
    () => "restored",
    (thrown: Error) => thrown.message,
  );
  const written = await readdir(join(folder, `data-${count}`), { recursive: true });
  return { outcome, written: written.toSorted() };
}

const refused = { outcome: "The file is no backup of Kauke, or it is damaged.", written: [] };

it("a valid archive is restored completely, also with trailing padding from another tar program", async () => {
  const entries = [manifest, { name: "db", kind: "5" }, { name: "db/one", text: "1" }];
  const whole = { outcome: "restored", written: ["kauke", "kauke/db", "kauke/db/one"] };
  expect(await restored(entries)).toEqual(whole);
  expect(await restored(entries, Buffer.alloc(4 * 1024 * 1024))).toEqual(whole);
});

it.each<[string, Entry]>([
  ["a path to a file beside the data directory", { name: "../out", text: "x" }],
  ["a path that leaves a folder by ..", { name: "db/../../out", text: "x" }],
  ["a path that ends in ..", { name: "db/..", kind: "5" }],
  ["an absolute path", { name: "/tmp/kauke-out", text: "x" }],
  ["a backslash", { name: "db\\..\\out", text: "x" }],
  ["an empty path segment", { name: "db//one", text: "x" }],
  ["a control character in a name", { name: "db/\u{1b}[2J", text: "x" }],
  ["a name that no backup contains", { name: "kauke.sock", text: "x" }],
  ["a symbolic link", { name: "db/link", kind: "2", linkTo: "/etc" }],
  ["a hard link", { name: "db/link", kind: "1", linkTo: "/etc/passwd" }],
  ["a device", { name: "db/device", kind: "3" }],
  ["a pipe", { name: "db/pipe", kind: "6" }],
  ["a sparse file", { name: "db/sparse", kind: "S", text: "x" }],
  ["a volume label", { name: "db/volume", kind: "V" }],
  ["a contiguous file (type 7)", { name: "db/one", kind: "7", text: "x" }],
  ["a name split over two header fields", { name: "one", text: "x", prefix: "../out" }],
  ["a GNU entry for a long name", { name: "././@LongLink", kind: "L", text: "db/../../out" }],
  ["a pax entry with attributes", { name: "PaxHeaders/one", kind: "x", text: "20 path=../../out\n" }],
  ["a size that is not a number", { name: "db/one", size: "zzz" }],
  ["a negative size", { name: "db/one", size: "-0000000001" }],
  ["a size beyond the end of the archive", { name: "db/one", text: "x", size: "77777777777" }],
])("a file with %s is refused, and nothing is restored from it", async (_, bad) => {
  expect(await restored([manifest, { name: "db", kind: "5" }, bad])).toEqual(refused);
});

it("a file that names a path twice, or does not begin with the manifest, is refused", async () => {
  const folderOf = { name: "db", kind: "5" };
  expect(await restored([manifest, folderOf, { name: "db/one" }, { name: "db/one" }])).toEqual(refused);
  expect(await restored([manifest, folderOf, folderOf])).toEqual(refused);
  expect(await restored([manifest, { name: "db" }, { name: "db/one" }])).toEqual(refused);
  expect(await restored([manifest, { name: "db/one" }])).toEqual(refused);
  expect(await restored([manifest, folderOf], Buffer.from("x".repeat(2000)))).toEqual(refused);
  expect(await restored([manifest, folderOf], Buffer.concat([end, Buffer.from("more")]))).toEqual(refused);
  expect(await restored([manifest, folderOf], Buffer.concat([end, entry({ name: "db/one" }), end]))).toEqual(refused);
  expect(await restored([manifest, folderOf], Buffer.alloc(0))).toEqual(refused);
  expect(await restored([folderOf, manifest])).toEqual(refused);
  expect(await restored([])).toEqual(refused);
  expect(await restored([{ ...manifest, text: "{" }])).toEqual(refused);
});
