import { describe, expect, test } from "vitest";
import { readExportBytes } from "./export-bytes.ts";

interface File {
  name: string;
  text: string;
  isStored?: boolean;
  flags?: number;
}

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const join = async (...parts: (Uint8Array<ArrayBuffer> | string)[]): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await new Blob(parts).arrayBuffer());

const deflated = async (text: string): Promise<Uint8Array<ArrayBuffer>> => {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
};

/** Builds a binary record of the given size with little-endian numbers at the given offsets. */
function record(size: number, numbers: readonly (readonly [at: number, value: number, bytes: 2 | 4])[]) {
  const view = new DataView(new ArrayBuffer(size));
  for (const [at, value, bytes] of numbers)
    if (bytes === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
  return new Uint8Array(view.buffer);
}

/** Builds a ZIP archive as streaming programs write it: sizes are in the central directory only. */
async function zipOf(files: readonly File[]): Promise<Uint8Array<ArrayBuffer>> {
  let locals = new Uint8Array(0);
  let central = new Uint8Array(0);
  for (const { name, text, isStored = false, flags = 0 } of files) {
    const packed = isStored ? encode(text) : await deflated(text);
    const nameBytes = encode(name).length;
    const entry = record(46, [
      [0, 0x02014b50, 4],
      [8, flags, 2],
      [10, isStored ? 0 : 8, 2],
      [20, packed.length, 4],
      [28, nameBytes, 2],
      [42, locals.length, 4],
    ]);
    central = await join(central, entry, name);
    const local = record(30, [
      [0, 0x04034b50, 4],
      [26, nameBytes, 2],
    ]);
    locals = await join(locals, local, name, packed);
  }
  const end = record(22, [
    [0, 0x06054b50, 4],
    [10, files.length, 2],
    [16, locals.length, 4],
  ]);
  return join(locals, central, end);
}

const data = JSON.stringify({
  encrypted: false,
  vaults: {
    v: {
      items: [
        {
          data: { type: "login", metadata: { name: "Shop" }, content: { itemEmail: "ann7@duck.com", password: "pw" } },
        },
      ],
    },
  },
});
const logins = [{ site: "Shop", address: "ann7@duck.com" }];
const problem = (name: string) => ({ problem: name });

describe("reading the bytes of an export file", () => {
  test("Proton Pass' ZIP is read, compressed or stored", async () => {
    for (const isStored of [true, false]) {
      const zip = await zipOf([
        { name: "Proton Pass/files/x.txt", text: "x" },
        { name: "Proton Pass/data.json", text: data, isStored },
      ]);
      expect(await readExportBytes(zip)).toMatchObject({ program: "Proton Pass", logins });
    }
  });

  test("exports in UTF-16 and Windows-1252 are read", async () => {
    const csv = "name,url,username,password\nZoë,,ann7@duck.com,pw\n";
    const expected = { logins: [{ site: "Zoë", address: "ann7@duck.com" }] };
    const units = [0xfeff, ...Array.from(csv, (letter) => letter.charCodeAt(0))];
    const utf16 = new Uint8Array(Uint16Array.from(units).buffer);
    expect(await readExportBytes(utf16)).toMatchObject(expected);
    expect(await readExportBytes(Uint8Array.from(csv, (letter) => letter.charCodeAt(0)))).toMatchObject(expected);
  });

  test("encrypted, unsupported and damaged files are each refused with the right reason", async () => {
    const zip = await zipOf([{ name: "Proton Pass/data.json", text: data }]);
    const cases: [Uint8Array<ArrayBuffer>, string][] = [
      [Uint8Array.from([0x03, 0xd9, 0xa2, 0x9a, 0x67, 0xfb, 0x4b, 0xb5]), "keepass_database"],
      [await zipOf([{ name: "Proton Pass/data.pgp", text: "x" }]), "encrypted"],
      [await zipOf([{ name: "data.json", text: data, flags: 1 }]), "encrypted"],
      [await zipOf([{ name: "aliases.json", text: "[]" }]), "aliases"],
      [await zipOf([{ name: "photo.jpg", text: "x" }]), "other"],
      [zip.slice(0, zip.length - 8), "damaged"],
      [zip.map((byte, index) => (index > 55 && index < 75 ? 0xff : byte)), "damaged"],
      [Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0, 0xff]), "other"],
      [new Uint8Array(32 * 1024 * 1024 + 1), "too_large"],
    ];
    for (const [bytes, name] of cases) await expect(readExportBytes(bytes), name).rejects.toMatchObject(problem(name));
  });

  test("an archive that unpacks to more than the maximum is refused", async () => {
    const zip = await zipOf([{ name: "data.json", text: " ".repeat(65 * 1024 * 1024) }]);
    await expect(readExportBytes(zip)).rejects.toMatchObject(problem("too_large"));
  });
});
