import { armor, dearmor, encrypt, generateKeyPair } from "@kauke/age";
import { beforeAll, expect, test } from "vitest";
import { armorWithin, encryptedFileKind } from "./encrypted-file.ts";

let binary: Uint8Array;
let armored: string;
beforeAll(async () => {
  const { publicKey } = await generateKeyPair();
  binary = await encrypt(new TextEncoder().encode("Labas"), { publicKeys: [publicKey] });
  armored = armor(binary);
});

const bytesOf = (text: string) => new TextEncoder().encode(text);
const kindOf = (text: string) => encryptedFileKind(bytesOf(text));

test("an age file is recognized in both formats, whatever its name", () => {
  expect(encryptedFileKind(binary)).toBe("binary");
  expect(kindOf(armored)).toBe("armored");
  expect(kindOf(`\r\n  ${armored.replaceAll("\n", "\r\n")}`)).toBe("armored");
});

test.each(["", "age-encryption.org/v2\n", "From: a@b.example\r\n\r\nHi", "\u0000\u0001\u0002"])(
  "%j is not an age file",
  (text) => expect(kindOf(text)).toBeNull(),
);

test("the armored block of a saved message is extracted without the text around it", () => {
  const head = bytesOf(`Subject: \u017Dodis\r\nContent-Type: text/plain\r\n\r\n`);
  const saved = new Uint8Array([...head, ...bytesOf(`${armored.replaceAll("\n", "\r\n")}\r\n--\r\nfooter`)]);
  expect(encryptedFileKind(saved)).toBe("surrounded");
  const found = armorWithin(saved) as Uint8Array;
  expect(dearmor(new TextDecoder().decode(found), 10_000)).toEqual(binary);
});

test("a truncated block is not extracted", () => {
  expect(armorWithin(bytesOf(armored.slice(0, -40)))).toBeNull();
  expect(armorWithin(bytesOf("no block"))).toBeNull();
});
