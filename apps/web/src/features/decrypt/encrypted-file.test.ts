import { armor, encrypt, generateKeyPair, pastedBlocks } from "@kauke/age";
import { beforeAll, expect, test } from "vitest";
import { encryptedFileKind, hasBlocks, latin1 } from "./encrypted-file.ts";

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

test("the armor of a saved message is found in its text, and so are several in one file", () => {
  const head = bytesOf(`Subject: \u017Dodis\r\nContent-Type: text/plain\r\n\r\n`);
  const saved = new Uint8Array([...head, 0xe9, ...bytesOf(`${armored.replaceAll("\n", "\r\n")}\r\n--\r\nfooter`)]);
  expect(encryptedFileKind(saved)).toBe("surrounded");
  expect(hasBlocks("surrounded", latin1(saved))).toBe(true);
  expect(pastedBlocks(latin1(saved))).toEqual([{ armored, quoteDepth: 0 }]);
  expect(hasBlocks("armored", armored)).toBe(false);
  expect(hasBlocks("armored", `${armored}\n> ${armored}`)).toBe(true);
  expect(hasBlocks("binary", latin1(binary))).toBe(false);
});
