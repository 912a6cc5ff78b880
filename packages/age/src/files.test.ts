/** Tests of the checks before any computation, of text, of streams, and of recognising an age file. */
import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { AgeError, type AgeErrorCode } from "./age-error.ts";
import { type DecryptWith, decrypt, decryptText } from "./decrypt.ts";
import { decryptStream } from "./decrypt-stream.ts";
import { encrypt, encryptStream, encryptText } from "./encrypt.ts";
import { armor, isAgeFile } from "./format/armor.ts";
import { AGE_HEADER_MAX_BYTES, AGE_STANZAS_MAX, AGE_TEXT_MAX_BYTES } from "./limits.ts";
import { nodePasswordCipher } from "./password/node-password-cipher.ts";
import { generateKeyPair } from "./private-key.ts";
import type { KeyKind } from "./public-key.ts";
import { drained, streamOf } from "./streams.testing.ts";

const pair = await generateKeyPair();
const own = { publicKeys: [pair.publicKey] };
const key = { privateKeys: pair.privateKey };
const passwordKeys: readonly DecryptWith[] = [{ password: "x" }, { password: "x", passwordCipher: nodePasswordCipher }];

const codeOf = async (work: () => Promise<unknown>): Promise<AgeErrorCode | "no error"> => {
  try {
    await work();
    return "no error";
  } catch (error) {
    expect(error).toBeInstanceOf(AgeError);
    return (error as AgeError).code;
  }
};

const VERSION = "age-encryption.org/v1\n";
/** A stanza for another key, 98 bytes. */
const foreignStanza = `-> X25519 ${"A".repeat(42)}Q\n${"B".repeat(42)}Q\n`;
const ending = `--- ${"C".repeat(42)}Q\n${"\0".repeat(48)}`;
const bytesOf = (text: string) => Buffer.from(text, "latin1");
const scryptFile = (factor: string) =>
  bytesOf(`${VERSION}-> scrypt ${"A".repeat(22)} ${factor}\n${"B".repeat(42)}Q\n${ending}`);

/** Error codes of every decrypting function, with every kind of key. */
async function codesOf(file: Uint8Array): Promise<Set<AgeErrorCode | "no error">> {
  const codes = new Set<AgeErrorCode | "no error">();
  for (const each of [key, ...passwordKeys]) {
    codes.add(await codeOf(() => decrypt(file, each)));
    codes.add(await codeOf(() => decryptText(armor(file), each)));
    codes.add(await codeOf(() => decryptStream(streamOf(file, 10_000), each)));
  }
  return codes;
}

/** Milliseconds of the fastest of five runs, to exclude other load on the machine. */
async function quickest(work: () => Promise<unknown>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5; round += 1) {
    const began = performance.now();
    await codeOf(work);
    best = Math.min(best, performance.now() - began);
  }
  return best;
}

describe("before any computation", () => {
  const thousandStanzas = bytesOf(VERSION + foreignStanza.repeat(1000) + ending);
  const hugeFactor = scryptFile("30");

  test("a header of 98 kB with 1,000 stanzas is refused", async () => {
    expect(thousandStanzas.length).toBeGreaterThan(97_000);
    expect(await codesOf(thousandStanzas)).toEqual(new Set(["too_large"]));
  });

  test("work factors above 18 are refused, however they are spelled", async () => {
    for (const factor of ["19", "20", "30", "999", "9".repeat(400)]) {
      expect(await codesOf(scryptFile(factor))).toEqual(new Set(["work_factor_too_high"]));
    }
    for (const factor of ["018", "+18", "18.0", "1e1", "0x12", "-1", "0", ""]) {
      for (const each of passwordKeys) expect(await codeOf(() => decrypt(scryptFile(factor), each))).toBe("malformed");
    }
  });

  test("refusing 1,000 stanzas or a high work factor takes less than 50 ms", async () => {
    for (const file of [thousandStanzas, hugeFactor]) {
      for (const each of [key, ...passwordKeys]) {
        expect(await quickest(() => decrypt(file, each))).toBeLessThan(50);
        expect(await quickest(() => decryptText(armor(file), each))).toBeLessThan(50);
        expect(await quickest(() => decryptStream(streamOf(file, 4096), each))).toBeLessThan(50);
      }
    }
  });

  test("64 stanzas are tried, 65 are refused", async () => {
    const of = (count: number) => bytesOf(VERSION + foreignStanza.repeat(count) + ending);
    expect(await codeOf(() => decrypt(of(AGE_STANZAS_MAX), key))).toBe("no_matching_key");
    expect(await codesOf(of(AGE_STANZAS_MAX + 1))).toEqual(new Set(["too_large"]));
  });

  test("keys and stanzas together are bounded by the cost of trying them", async () => {
    const keysOf = async (kind: KeyKind, count: number) => {
      const pairs = await Promise.all(Array.from({ length: count }, () => generateKeyPair(kind)));
      return { privateKeys: pairs.map(({ privateKey }) => privateKey).join("\n") };
    };
    const hybridStanza = () => {
      const share = randomBytes(1120).toString("base64").replaceAll("=", "");
      return `-> mlkem768x25519 ${share}\n${"B".repeat(42)}Q\n`;
    };
    const forHybrids = (count: number) =>
      bytesOf(VERSION + Array.from({ length: count }, hybridStanza).join("") + ending);
    const twoHybrids = await keysOf("post-quantum", 2);
    const forClassics = bytesOf(VERSION + foreignStanza.repeat(AGE_STANZAS_MAX) + ending);
    const [classic, hybrid] = [await keysOf("classic", 8), await keysOf("post-quantum", 8)];
    expect(await codeOf(() => decrypt(forClassics, classic))).toBe("no_matching_key");
    expect(await codeOf(() => decrypt(forHybrids(40), twoHybrids))).toBe("no_matching_key");
    expect(await codeOf(() => decrypt(forHybrids(12), hybrid))).toBe("no_matching_key");
    expect(await codeOf(() => decrypt(forHybrids(13), hybrid))).toBe("too_large");
    expect(await codeOf(() => decryptStream(streamOf(forHybrids(40), 10_000), hybrid))).toBe("too_large");
    expect(await quickest(() => decrypt(forHybrids(40), hybrid))).toBeLessThan(50);
    // The library tries a key on stanzas of its own kind only.
    expect(await codeOf(() => decrypt(forHybrids(40), classic))).toBe("no_matching_key");
  });

  test("a header of 64 KiB is accepted, one byte more is refused, whether the header ends or not", async () => {
    const grease = (sizeBytes: number) => {
      const rest = VERSION.length + "-> x \n\n".length + "--- ".length + 44;
      return bytesOf(`${VERSION}-> x ${"y".repeat(sizeBytes - rest)}\n\n${ending}`);
    };
    expect(await codeOf(() => decrypt(grease(AGE_HEADER_MAX_BYTES), key))).toBe("no_matching_key");
    expect(await codesOf(grease(AGE_HEADER_MAX_BYTES + 1))).toEqual(new Set(["too_large"]));
    expect(await codesOf(bytesOf(VERSION + "-".repeat(200_000)))).toEqual(new Set(["too_large"]));
  });

  test("a stream whose header never ends is cancelled after 64 KiB", async () => {
    let sent = 0;
    let isCancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(bytesOf(VERSION)),
      pull(controller) {
        controller.enqueue(new Uint8Array(1000).fill(0x2d));
        sent += 1000;
      },
      cancel() {
        isCancelled = true;
      },
    });
    expect(await codeOf(() => decryptStream(endless, key))).toBe("too_large");
    expect([sent < 80_000, isCancelled]).toEqual([true, true]);
  });
});

test.each([
  ["nothing", ""],
  ["ordinary text", "Hello"],
  ["the beginning of a header", "age-encryption.org/v1"],
  ["another version", "age-encryption.org/v2\n"],
  ["a PGP message", "-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END PGP MESSAGE-----"],
])("%s is not an age file", async (_, text) => {
  const expected = text === "age-encryption.org/v1" ? "malformed" : "not_age";
  expect(await codeOf(() => decrypt(text, key))).toBe("not_age");
  if (text === "") return expect(["not_age", "malformed"]).toContain(await codeOf(() => decrypt(bytesOf(text), key)));
  expect(await codeOf(() => decrypt(bytesOf(text), key))).toBe(expected);
  expect(isAgeFile(text)).toBe(false);
  expect(isAgeFile(bytesOf(text))).toBe(false);
});

test("a whole age file is distinguished from text around one, from a damaged one and from text about one", async () => {
  const file = await encrypt(bytesOf("x"), own);
  const armored = armor(file);
  for (const whole of [file, armored, `\n ${armored.replaceAll("\n", "\r\n")}\n`]) expect(isAgeFile(whole)).toBe(true);
  for (const other of [
    `Hello\n${armored}`,
    `${armored}Bye`,
    `> ${armored}`,
    armored.slice(0, -10),
    "-----BEGIN AGE ENCRYPTED FILE-----\nSGVsbG8=\n-----END AGE ENCRYPTED FILE-----",
    file.slice(1),
  ]) {
    expect(isAgeFile(other)).toBe(false);
  }
});

describe("text", () => {
  test("is decrypted exactly, including byte order mark and line ends", async () => {
    for (const text of ["", "\ufeffx", "a\r\nb\nc\r", "\0", "ąčę 🎭", "x".repeat(65_537)]) {
      expect(await decryptText(await encryptText(text, own), key)).toBe(text);
    }
  });

  test("with an unpaired surrogate is refused, since UTF-8 would change it", async () => {
    expect(await codeOf(() => encryptText("a\ud83cb", own))).toBe("not_text");
  });

  test("that is not UTF-8 is refused, not repaired", async () => {
    for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0x61, 0xc0, 0x80]]) {
      const file = await encrypt(Uint8Array.from(bytes), own);
      expect(await codeOf(() => decryptText(file, key))).toBe("not_text");
      expect([...(await decrypt(file, key))]).toEqual(bytes);
    }
  });

  test("of 1 MiB as UTF-8 is accepted for encryption and decryption, one byte more is not", async () => {
    const fits = `${"ė".repeat(AGE_TEXT_MAX_BYTES / 2 - 1)}ab`;
    expect(await decryptText(await encryptText(fits, own), key)).toBe(fits);
    expect(await codeOf(() => encryptText(`${fits}c`, own))).toBe("too_large");
    const file = await encrypt(Buffer.from(`${fits}c`), own);
    expect(await codeOf(() => decryptText(file, key))).toBe("too_large");
    const larger = armor(await encrypt(new Uint8Array(1_300_000), own));
    expect(await codeOf(() => decryptText(larger, key))).toBe("too_large");
  });
});

describe("streams", () => {
  const sizes = [0, 1, 65_535, 65_536, 65_537, 200_000];

  test.each(sizes)("of %d bytes, in chunks of any size, are decrypted completely", async (sizeBytes) => {
    const plaintext = Uint8Array.from({ length: sizeBytes }, (_, at) => (at * 7) & 255);
    for (const chunkBytes of [sizeBytes > 1000 ? 777 : 1, 65_536, 1_000_000]) {
      const encrypted = await drained(await encryptStream(streamOf(plaintext, chunkBytes), own));
      expect(encrypted.error).toBeNull();
      expect(Buffer.compare(await decrypt(encrypted.bytes, key), plaintext)).toBe(0);
      const opened = await drained(await decryptStream(streamOf(encrypted.bytes, chunkBytes), key));
      expect(opened.error).toBeNull();
      expect(Buffer.compare(opened.bytes, plaintext)).toBe(0);
    }
  });

  test("that are truncated end with an error, never like a complete file", async () => {
    const file = await encrypt(new Uint8Array(200_000), own);
    for (const end of [file.length - 1, file.length - 3000, 140_000]) {
      const { error, bytes } = await drained(await decryptStream(streamOf(file.slice(0, end), 5000), key));
      expect(error).toMatchObject({ name: "AgeError", code: "malformed", message: "malformed" });
      expect(bytes.length % 65_536).toBe(0);
    }
  });

  test("whose source fails end with an AgeError that reveals nothing of the source's error", async () => {
    const failing = () =>
      new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error("AGE-SECRET-KEY-1")) });
    const { error } = await drained(await encryptStream(failing(), own));
    expect(error).toMatchObject({ name: "AgeError", message: "malformed" });
    expect(await codeOf(() => decryptStream(failing(), key))).toBe("malformed");
  });

  test("that are cancelled by the reader cancel their source", async () => {
    let isCancelled = false;
    const source = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(10_000)),
      cancel() {
        isCancelled = true;
      },
    });
    const reader = (await encryptStream(source, own)).getReader();
    await reader.read();
    await reader.cancel();
    expect(isCancelled).toBe(true);
  });
});
