import { describe, expect, test } from "vitest";
import { AgeError } from "./age-error.ts";
import { findAgeProgram } from "./age-program.testing.ts";
import { decrypt } from "./decrypt.ts";
import { encryptArmored, encryptedLength } from "./node-encrypter.ts";
import { keyFileText } from "./password/protected-key.ts";
import { generateKeyPair } from "./private-key.ts";
import { randomFrom } from "./random.testing.ts";

const program = findAgeProgram();
if (program === null) console.log("Skipped in part: no age program here (Debian: apt-get install age)");

/**
 * Message sizes around the limits of an armor line, of a payload chunk, and of what is encrypted between two yields.
 */
const sizes = [0, 1, 31, 32, 33, 47, 48, 49, 65_535, 65_536, 65_537, 131_072, 524_288, 524_289, 1_048_576];
const random = randomFrom(20261122);
const plaintextOf = (sizeBytes: number) => Buffer.from(random.bytes(sizeBytes));
const same = (one: Uint8Array | null, other: Uint8Array) => one !== null && Buffer.compare(one, other) === 0;

describe("encrypting to a key on Node", () => {
  test.each(sizes)(
    "a message of %i bytes is decrypted exactly by the library and by the stock program",
    async (sizeBytes) => {
      const keys = await generateKeyPair("classic");
      const plaintext = plaintextOf(sizeBytes);
      const file = await encryptArmored(plaintext, keys.publicKey);
      expect(same(await decrypt(file, { privateKeys: keys.privateKey }), plaintext)).toBe(true);
      expect(file.length).toBeLessThanOrEqual(encryptedLength(sizeBytes));
      if (program !== null) expect(same(await program.decrypt(file, keyFileText(keys)), plaintext)).toBe(true);
    },
  );

  test("works for post-quantum keys too", async () => {
    const keys = await generateKeyPair("post-quantum");
    const plaintext = plaintextOf(100_000);
    const file = await encryptArmored(plaintext, keys.publicKey);
    expect(same(await decrypt(file, { privateKeys: keys.privateKey }), plaintext)).toBe(true);
    expect(file.length).toBeLessThanOrEqual(encryptedLength(plaintext.length));
  });

  test("makes a different file every time, which no other key opens and in which a changed character is detected", async () => {
    const [keys, others] = [await generateKeyPair("classic"), await generateKeyPair("classic")];
    const plaintext = plaintextOf(1000);
    const [one, two] = [
      await encryptArmored(plaintext, keys.publicKey),
      await encryptArmored(plaintext, keys.publicKey),
    ];
    expect(one.equals(two)).toBe(false);
    await expect(decrypt(one, { privateKeys: others.privateKey })).rejects.toThrow(new AgeError("no_matching_key"));
    const at = one.lastIndexOf("-----END") - 20;
    one[at] = one[at] === 0x41 ? 0x42 : 0x41;
    await expect(decrypt(one, { privateKeys: keys.privateKey })).rejects.toThrow(new AgeError("malformed"));
  });

  test("writes lines of 64 ASCII characters ending in CRLF", async () => {
    const keys = await generateKeyPair("classic");
    const text = (await encryptArmored(plaintextOf(70_000), keys.publicKey)).toString("latin1");
    expect(text).toMatch(
      /^-----BEGIN AGE ENCRYPTED FILE-----\r\n(?:[A-Za-z0-9+/]{64}\r\n)+[A-Za-z0-9+/=]{1,64}\r\n-----END AGE ENCRYPTED FILE-----\r\n$/,
    );
  });

  test.each(["", "age1nokey", "AGE-SECRET-KEY-1QQQ"])("refuses %j as a key", async (publicKey) => {
    await expect(encryptArmored(Buffer.from("x"), publicKey)).rejects.toThrow(new AgeError("bad_public_key"));
  });

  test("yields to the event loop while it encrypts a large message", async () => {
    const keys = await generateKeyPair("classic");
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await encryptArmored(Buffer.alloc(16 * 1024 * 1024), keys.publicKey);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(4);
  });
});
