import { deflateRawSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { readExportBytes } from "./export-bytes.ts";

interface File {
  name: string;
  text: string;
  isStored?: boolean;
  flags?: number;
}

/** A ZIP archive as its programs write it, with the sizes in the central directory only. */
function zipOf(files: readonly File[]): Uint8Array<ArrayBuffer> {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  for (const { name, text, isStored = false, flags = 0 } of files) {
    const packed = isStored ? Buffer.from(text) : deflateRawSync(text);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(flags, 8);
    entry.writeUInt16LE(isStored ? 0 : 8, 10);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt32LE(Buffer.byteLength(text), 24);
    entry.writeUInt16LE(Buffer.byteLength(name), 28);
    entry.writeUInt32LE(Buffer.concat(locals).length, 42);
    central.push(entry, Buffer.from(name));
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(Buffer.byteLength(name), 26);
    locals.push(local, Buffer.from(name), packed);
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(Buffer.concat(locals).length, 16);
  return new Uint8Array(Buffer.concat([...locals, ...central, end]));
}

const bytesOf = (...parts: (string | number[])[]): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.concat(parts.map((part) => Buffer.from(part as string))));

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

describe("an export as bytes", () => {
  test("Proton Pass' ZIP is read, compressed or stored", async () => {
    for (const isStored of [true, false]) {
      const zip = zipOf([
        { name: "Proton Pass/files/x.txt", text: "x" },
        { name: "Proton Pass/data.json", text: data, isStored },
      ]);
      expect(await readExportBytes(zip)).toMatchObject({ program: "Proton Pass", logins });
    }
  });

  test("UTF-16 and Windows-1252 are read too", async () => {
    const csv = "name,url,username,password\nZoë,,ann7@duck.com,pw\n";
    const expected = { logins: [{ site: "Zoë", address: "ann7@duck.com" }] };
    const utf16 = new Uint8Array(Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(csv, "utf16le")]));
    expect(await readExportBytes(utf16)).toMatchObject(expected);
    expect(await readExportBytes(new Uint8Array(Buffer.from(csv, "latin1")))).toMatchObject(expected);
  });

  test("encrypted, foreign and damaged files are named as what they are", async () => {
    const zip = zipOf([{ name: "Proton Pass/data.json", text: data }]);
    const cases: [Uint8Array<ArrayBuffer>, string][] = [
      [bytesOf([0x03, 0xd9, 0xa2, 0x9a, 0x67, 0xfb, 0x4b, 0xb5]), "keepass_database"],
      [zipOf([{ name: "Proton Pass/data.pgp", text: "x" }]), "encrypted"],
      [zipOf([{ name: "data.json", text: data, flags: 1 }]), "encrypted"],
      [zipOf([{ name: "aliases.json", text: "[]" }]), "aliases"],
      [zipOf([{ name: "photo.jpg", text: "x" }]), "other"],
      [zip.slice(0, zip.length - 8), "damaged"],
      [zip.map((byte, index) => (index > 55 && index < 75 ? 0xff : byte)), "damaged"],
      [bytesOf([0x89, 0x50, 0x4e, 0x47, 0, 0xff]), "other"],
      [new Uint8Array(32 * 1024 * 1024 + 1), "too_large"],
    ];
    for (const [bytes, name] of cases) await expect(readExportBytes(bytes), name).rejects.toMatchObject(problem(name));
  });

  test("an archive that unpacks to more than the maximum is refused", async () => {
    const zip = zipOf([{ name: "data.json", text: " ".repeat(65 * 1024 * 1024) }]);
    await expect(readExportBytes(zip)).rejects.toMatchObject(problem("too_large"));
  });
});
