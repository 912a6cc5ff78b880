/**
 * Compares the package with the stock age program, in both directions: 12 cases, 1,000 in `npm run test:long`. Files of
 * 0 to 1 MiB around the 64 KiB chunks, binary, armored and armored with CRLF, one to three recipients, one file in five
 * damaged.
 */
import { describe, expect, test } from "vitest";
import { type AgeProgram, findAgeProgram } from "./age-program.testing.ts";
import { decrypt } from "./decrypt.ts";
import { decryptStream } from "./decrypt-stream.ts";
import { encrypt, encryptStream } from "./encrypt.ts";
import { armor } from "./format/armor.ts";
import { nodePasswordCipher } from "./password/node-password-cipher.ts";
import { keyFileText, openProtectedKey, protectPrivateKey } from "./password/protected-key.ts";
import { generateKeyPair, type KeyPair, publicKeyOf, readPrivateKeys } from "./private-key.ts";
import { randomFrom, type SeededRandom } from "./random.testing.ts";
import { drained, streamOf } from "./streams.testing.ts";

const isLong = process.env.LONG_ROUNDS === "1";
const cases = isLong ? 1000 : 12;
const passwordCases = isLong ? 20 : 1;
const aWhile = isLong ? 3_600_000 : 90_000;

const program = findAgeProgram();
if (program === null) console.log("Skipped: no age program here (Debian: apt-get install age)");
else if (!program.canAskPasswords) console.log("Skipped in part: no python3 to give the age program a terminal");

const edges = [0, 1, 47, 48, 49, 1023, 65_519, 65_535, 65_536, 65_537, 131_071, 131_072, 131_073];
const forms = ["binary", "armored", "CRLF"] as const;
type Form = (typeof forms)[number];

const crlf = (armored: string) => armored.replaceAll("\n", "\r\n");
const same = (one: Uint8Array | null, other: Uint8Array) => one !== null && Buffer.compare(one, other) === 0;

function sizeOf(index: number, random: SeededRandom): number {
  if (index % 20 === 19) return 1024 * 1024 - (index % 100 === 99 ? 0 : random.below(3));
  return index % 2 === 0 ? random.pick(edges) : random.below(random.pick([100, 5000, 200_000]));
}

async function madeByUs(plaintext: Uint8Array, to: readonly string[], form: Form, viaStream: boolean) {
  const file = viaStream
    ? (await drained(await encryptStream(streamOf(plaintext, 10_000), { publicKeys: to }))).bytes
    : await encrypt(plaintext, { publicKeys: to });
  if (form === "binary") return file;
  return Buffer.from(form === "armored" ? armor(file) : crlf(armor(file)));
}

async function madeByProgram(stock: AgeProgram, plaintext: Uint8Array, to: readonly string[], form: Form) {
  const file = await stock.encrypt(plaintext, to, form !== "binary");
  return form === "CRLF" ? Buffer.from(crlf(Buffer.from(file).toString("latin1"))) : file;
}

async function openedByUs(file: Uint8Array, key: KeyPair, form: Form, viaStream: boolean): Promise<Uint8Array | null> {
  const keys = { privateKeys: keyFileText(key) };
  try {
    if (form !== "binary") return await decrypt(viaStream ? file : Buffer.from(file).toString("latin1"), keys);
    if (!viaStream) return await decrypt(file, keys);
    const { bytes, error } = await drained(await decryptStream(streamOf(file, 10_000), keys));
    return error === null ? bytes : null;
  } catch {
    return null;
  }
}

/**
 * Flips one bit: of any byte of a binary file, or of one of the bytes 40 to 239 of an armored one. These are never the
 * last base64 characters, some of whose bits are unused.
 */
function damaged(file: Uint8Array, form: Form, random: SeededRandom): Uint8Array {
  const copy = new Uint8Array(file);
  const at = form === "binary" ? random.below(copy.length) : 40 + random.below(200);
  copy[at] = copy[at]! ^ (1 << random.below(7));
  return copy;
}

/**
 * Compares one random case: a file made by us and one made by the program, each decrypted by both.
 * @returns a description of each file about which the two disagree
 */
async function differencesOf(stock: AgeProgram, pairs: readonly KeyPair[], index: number) {
  const random = randomFrom(1000 + index);
  const plaintext = random.bytes(sizeOf(index, random));
  const form = random.pick(forms);
  const isDamaged = index % 5 === 4;
  const viaStream = random.below(2) === 1;
  const to = pairs.slice(0, 1 + random.below(3)).map((pair) => pair.publicKey);
  const key = pairs[random.below(to.length)]!;
  const differences: string[] = [];
  for (const by of ["ours", "theirs"]) {
    const make = by === "ours" ? madeByUs(plaintext, to, form, viaStream) : madeByProgram(stock, plaintext, to, form);
    const file = isDamaged ? damaged(await make, form, random) : await make;
    const [ours, theirs] = await Promise.all([
      openedByUs(file, key, form, viaStream),
      stock.decrypt(file, keyFileText(key)),
    ]);
    const isAgreed = isDamaged ? ours === null && theirs === null : same(ours, plaintext) && same(theirs, plaintext);
    if (!isAgreed) differences.push(`${index} ${form} ${plaintext.length} ${by}`);
  }
  return differences;
}

describe.skipIf(program === null)("the stock age program", () => {
  const stock = program as AgeProgram;

  test(`agrees in ${cases} random cases, in both directions`, { timeout: aWhile }, async () => {
    const pairs = await Promise.all([1, 2, 3].map(() => generateKeyPair()));
    const differences: string[] = [];
    // Two at a time, because most of the time is spent starting processes.
    for (let index = 0; index < cases; index += 2) {
      const two = [index, index + 1].map((number) => differencesOf(stock, pairs, number));
      differences.push(...(await Promise.all(two)).flat());
    }
    expect(differences).toEqual([]);
  });

  test("reads our key files, and we read its own", async () => {
    const pair = await generateKeyPair();
    expect(await stock.publicKeyOf(keyFileText({ ...pair, keyName: "Ann's key", createdAt: new Date(0) }))).toBe(
      pair.publicKey,
    );
    const keyFile = await stock.generate();
    expect(await publicKeyOf(keyFile)).toBe(await stock.publicKeyOf(keyFile));
  });

  test.skipIf(program?.canAskPasswords !== true)(
    `opens ${passwordCases} protected keys of ours, and we open as many of its own, with a password beyond ASCII`,
    { timeout: aWhile },
    async () => {
      const message = new TextEncoder().encode("To whom it concerns");
      for (let index = 0; index < passwordCases; index += 1) {
        const pair = await generateKeyPair();
        const password = `Kaukė ė ${index} 🎭`;
        // Alternates between the library's own scrypt and the native one.
        const passwordCipher = index % 2 === 0 ? nodePasswordCipher : undefined;
        const decomposed = password.normalize("NFD");
        const protectedKey = await protectPrivateKey({ ...pair, password: decomposed, keyName: "Ann", passwordCipher });
        const file = await encrypt(message, { publicKeys: [pair.publicKey] });
        expect(same(await stock.decrypt(file, protectedKey, password), message)).toBe(true);

        const keyFile = await stock.generate();
        const theirs = Buffer.from(await stock.encryptWithPassword(Buffer.from(keyFile), password)).toString();
        const opened = await openProtectedKey(theirs, { password: decomposed, passwordCipher });
        expect(opened.privateKey).toBe(readPrivateKeys(keyFile)[0]);
      }
    },
  );
});
