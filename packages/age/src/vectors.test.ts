/**
 * Runs every public test vector of age through `decrypt` and `decryptStream`: 26 open, 117 fail with a code that is
 * allowed for their kind of failure. The 26 run through `decryptText` too, which refuses those that are too long or not
 * UTF-8.
 */
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { AgeError, type AgeErrorCode, ageErrorCodes } from "./age-error.ts";
import { type DecryptWith, decrypt, decryptText } from "./decrypt.ts";
import { decryptStream } from "./decrypt-stream.ts";
import { armor, dearmor } from "./format/armor.ts";
import { AGE_FILE_MAX_BYTES } from "./limits.ts";
import { nodePasswordCipher } from "./password/node-password-cipher.ts";
import { drained, streamOf } from "./streams.testing.ts";
import { type AgeVector, authenticBeginning, vectors } from "./vectors.testing.ts";

const isLong = process.env.LONG_ROUNDS === "1";
const foreignKey = "AGE-SECRET-KEY-1EGTZVFFV20835NWYV6270LXYVK2VKNX2MMDKWYKLMGR48UAWX40Q2P2LM0";

interface Outcome {
  code: AgeErrorCode | null;
  /** SHA-256 in hex of all released plaintext; `null` when nothing was released. */
  released: string | null;
}

interface StreamOutcome {
  code: AgeErrorCode | null;
  released: Uint8Array;
}

const sha256 = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest("hex");

/** All keys and passwords that a vector names; passwords with the cipher of the browser and that of Node. */
function keysOf(vector: AgeVector): DecryptWith[] {
  const keys: DecryptWith[] = vector.passwords.flatMap((password) => [
    { password },
    { password, passwordCipher: nodePasswordCipher },
  ]);
  if (vector.identities.length > 0) keys.push({ privateKeys: vector.identities.join("\n") });
  return keys.length > 0 ? keys : [{ privateKeys: foreignKey }];
}

async function outcomeOf(work: () => Promise<Uint8Array | string>): Promise<Outcome> {
  try {
    return { code: null, released: sha256(await work()) };
  } catch (error) {
    return { code: codeOf(error), released: null };
  }
}

function codeOf(error: unknown): AgeErrorCode {
  expect(error).toBeInstanceOf(AgeError);
  const { code, message, cause } = error as AgeError;
  expect(ageErrorCodes).toContain(code);
  expect([message, cause]).toEqual([code, undefined]);
  return code;
}

async function streamed(binary: () => Uint8Array, key: DecryptWith, chunkBytes: number): Promise<StreamOutcome> {
  try {
    const { bytes, error } = await drained(await decryptStream(streamOf(binary(), chunkBytes), key));
    return { code: error === null ? null : codeOf(error), released: bytes };
  } catch (error) {
    return { code: codeOf(error), released: new Uint8Array(0) };
  }
}

const allowedCodes: Record<AgeVector["expect"], readonly (AgeErrorCode | null)[]> = {
  success: [null],
  "no match": ["no_matching_key", "wrong_password"],
  "HMAC failure": ["malformed"],
  "payload failure": ["malformed"],
  "armor failure": ["malformed", "not_age"],
  "header failure": ["malformed", "not_age", "work_factor_too_high"],
};

/** Armored files as text of one character per byte; binary files in armor made by us. */
const asText = ({ isArmored, file }: AgeVector) => (isArmored ? Buffer.from(file).toString("latin1") : armor(file));
const asBinary = ({ isArmored, file }: AgeVector) =>
  isArmored ? dearmor(Buffer.from(file).toString("latin1"), AGE_FILE_MAX_BYTES) : file;

/** scrypt is slow in JavaScript, so `npm test` decrypts a file with a passphrase in one way only. */
const waysFor = <Way>(key: DecryptWith, ways: readonly Way[]): readonly Way[] =>
  isLong || !("password" in key) || key.passwordCipher !== undefined ? ways : ways.slice(0, 1);

test("there are 143 vectors, of which 26 open", () => {
  expect(vectors).toHaveLength(143);
  expect(vectors.filter((vector) => vector.expect === "success")).toHaveLength(26);
});

describe.each(vectors.map((vector) => [vector.name, vector] as const))("%s", (_, vector) => {
  const mustBe = { codes: allowedCodes[vector.expect], released: vector.expect === "success" ? vector.payload : null };

  test(`ends with ${vector.expect} as bytes and as text`, async () => {
    for (const key of keysOf(vector)) {
      for (const file of waysFor(key, [vector.file, asText(vector)])) {
        const { code, released } = await outcomeOf(() => decrypt(file, key));
        expect(mustBe.codes).toContain(code);
        expect(released).toBe(mustBe.released);
      }
    }
  });

  test(`ends with ${vector.expect} as a stream, and releases no other plaintext`, async () => {
    const chunks = vector.file.length < 10_000 ? [1, 64, 1000, 1_000_000] : [65_536, 100_000_000];
    for (const key of keysOf(vector)) {
      for (const chunkBytes of waysFor(key, chunks)) {
        const { code, released } = await streamed(() => asBinary(vector), key, chunkBytes);
        expect(mustBe.codes).toContain(code);
        if (vector.expect === "success") expect(sha256(released)).toBe(vector.payload);
        else if (released.length > 0) {
          const honest = authenticBeginning(asBinary(vector), vector.fileKey);
          expect(sha256(honest)).toBe(vector.payload);
          expect(Buffer.compare(honest.subarray(0, released.length), released)).toBe(0);
        }
      }
    }
  });
});

test("vectors with UTF-8 content of at most 1 MiB open as text, the others are refused with the right code", async () => {
  const found: Record<string, number> = {};
  for (const vector of vectors.filter((candidate) => candidate.expect === "success")) {
    const { code, released } = await outcomeOf(() => decryptText(asText(vector), keysOf(vector)[0]!));
    if (code === null) expect(released).toBe(vector.payload);
    found[code ?? "text"] = (found[code ?? "text"] ?? 0) + 1;
  }
  expect(found).toEqual({ text: 19, not_text: 4, too_large: 3 });
});
