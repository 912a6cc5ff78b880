/**
 * Damages valid files: 500 mutants (20,000 in `npm run test:long`), in header and payload, binary and armored. Each is
 * refused with one of our codes, or (armor only: white space, line ends) decrypts to exactly the original.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { AgeError, ageErrorCodes } from "./age-error.ts";
import { type DecryptWith, decrypt } from "./decrypt.ts";
import { decryptStream } from "./decrypt-stream.ts";
import { encrypt } from "./encrypt.ts";
import { armor } from "./format/armor.ts";
import { checkHeader } from "./format/header.ts";
import { nodePasswordCipher } from "./password/node-password-cipher.ts";
import { generateKeyPair } from "./private-key.ts";
import { randomFrom, type SeededRandom } from "./random.testing.ts";
import { drained, streamOf } from "./streams.testing.ts";
import { vectorNamed } from "./vectors.testing.ts";

const rounds = process.env.LONG_ROUNDS === "1" ? 5000 : 50;

interface Original {
  file: Uint8Array;
  plaintext: Uint8Array;
  key: DecryptWith;
}

const originals: Original[] = [];

beforeAll(async () => {
  const random = randomFrom(1);
  for (const [kind, sizeBytes] of [
    ["classic", 100],
    ["classic", 66_000],
    ["post-quantum", 40],
  ] as const) {
    const own = await generateKeyPair(kind);
    const other = await generateKeyPair(kind);
    const plaintext = random.bytes(sizeBytes);
    const file = await encrypt(plaintext, { publicKeys: [other.publicKey, own.publicKey] });
    originals.push({ file, plaintext, key: { privateKeys: own.privateKey } });
  }
  const { file, passwords } = vectorNamed("scrypt");
  const key = { password: passwords[0] ?? "", passwordCipher: nodePasswordCipher };
  originals.push({ file, key, plaintext: await decrypt(file, key) });
});

/**
 * Makes one random change that begins within the bytes from `from` to `to`, or appends random bytes to the file; the
 * result always differs from the file.
 */
function mutate(file: Uint8Array, from: number, to: number, random: SeededRandom): Uint8Array {
  const at = from + random.below(to - from);
  const span = 1 + random.below(Math.min(80, to - at));
  const [before, hit, after] = [file.subarray(0, at), file.subarray(at, at + span), file.subarray(at + span)];
  const changes: (() => Uint8Array[])[] = [
    () => [before, Uint8Array.of(hit[0]! ^ (1 << random.below(8))), file.subarray(at + 1)],
    () => [before, after],
    () => [before, hit, hit, after],
    () => [before, random.bytes(span), hit, after],
    () => [before],
    () => [before, Uint8Array.of(0x0d), file.subarray(at)],
    () => [before, Uint8Array.of(0x0a), file.subarray(at)],
    () => [before, Uint8Array.of(0x20), file.subarray(at)],
    () => [before, hit.slice().reverse(), after],
    () => [file, random.bytes(span)],
  ];
  const mutant = new Uint8Array(Buffer.concat(random.pick(changes)()));
  return Buffer.compare(mutant, file) === 0 ? mutate(file, from, to, random) : mutant;
}

/**
 * Expects that a mutant is refused with one of our codes.
 * @param unless plaintext that decrypting the mutant may also yield; `null`: decrypting must fail
 */
async function expectRefused(work: () => Promise<Uint8Array>, unless: Uint8Array | null): Promise<void> {
  try {
    const opened = await work();
    expect(unless, "a mutant opened").not.toBeNull();
    expect(Buffer.compare(opened, unless ?? new Uint8Array(0))).toBe(0);
  } catch (error) {
    expect(error).toBeInstanceOf(AgeError);
    expect(ageErrorCodes).toContain((error as AgeError).code);
  }
}

async function streamedWhole(file: Uint8Array, key: DecryptWith): Promise<Uint8Array> {
  const { bytes, error } = await drained(await decryptStream(streamOf(file, 4096), key));
  if (error !== null) throw error;
  return bytes;
}

describe.each([
  ["a classic file", 0],
  ["a classic file of two chunks", 1],
  ["a post-quantum file", 2],
  ["a password file", 3],
])("%s", (_, index) => {
  test(`opens unchanged, and is refused in ${rounds} damaged forms`, async () => {
    const { file, plaintext, key } = originals[index]!;
    expect(Buffer.compare(await decrypt(file, key), plaintext)).toBe(0);
    expect(Buffer.compare(await decrypt(armor(file), key), plaintext)).toBe(0);
    const random = randomFrom(index + 10);
    const headerEnd = checkHeader(file).sizeBytes;
    const armored = Buffer.from(armor(file), "latin1");
    for (let round = 0; round < rounds; round += 1) {
      const form = round % 5;
      if (form === 4) {
        const mutant = mutate(armored, 0, armored.length, random);
        await expectRefused(() => decrypt(Buffer.from(mutant).toString("latin1"), key), plaintext);
        await expectRefused(() => decrypt(mutant, key), plaintext);
        continue;
      }
      const mutant = form < 2 ? mutate(file, 0, headerEnd, random) : mutate(file, headerEnd, file.length, random);
      await expectRefused(() => decrypt(mutant, key), null);
      await expectRefused(() => streamedWhole(mutant, key), null);
    }
  });
});
