/**
 * Private keys encrypted with a master password. Scrypt is expensive: these tests run it five times in all, natively
 * unless the library's own implementation is what is tested.
 */
import { describe, expect, test, vi } from "vitest";
import { AgeError, type AgeErrorCode } from "../age-error.ts";
import { decryptText } from "../decrypt.ts";
import { encryptText } from "../encrypt.ts";
import { armor, dearmor } from "../format/armor.ts";
import { checkHeader } from "../format/header.ts";
import { generateKeyPair, publicKeyOf } from "../private-key.ts";
import { vectorNamed } from "../vectors.testing.ts";
import { nodePasswordCipher as passwordCipher } from "./node-password-cipher.ts";
import type { PasswordCipher } from "./password-cipher.ts";
import {
  createProtectedKey,
  isProtectedKey,
  keyFileText,
  openProtectedKey,
  protectPrivateKey,
} from "./protected-key.ts";

const password = "Kaukė 🎭 mašinoje";
const pair = await generateKeyPair();
const createdAt = new Date("2026-11-21T12:00:00Z");
const protectedKey = await protectPrivateKey({ ...pair, password, keyName: "Ann's key", createdAt, passwordCipher });

/** A cipher without any protection, to test everything except the password stanza. */
const withoutScrypt: PasswordCipher = {
  encrypt: (_, fileKey) => new Uint8Array([...fileKey, ...new Uint8Array(16)]),
  decrypt: (_, encrypted) => encrypted.slice(0, 16),
};

const codeOf = async (work: () => Promise<unknown>): Promise<AgeErrorCode | "no error"> => {
  try {
    await work();
    return "no error";
  } catch (error) {
    expect(error).toBeInstanceOf(AgeError);
    return (error as AgeError).code;
  }
};

describe("a protected key", () => {
  test("is armor of one password stanza of work factor 18, at most 4 KiB", () => {
    expect(checkHeader(dearmor(protectedKey, 4096))).toMatchObject({ stanzaTypes: ["scrypt"], workFactor: 18 });
    expect(protectedKey.length).toBeLessThan(700);
    expect(isProtectedKey(protectedKey)).toBe(true);
  });

  test("opens with the library's own scrypt and the password in another Unicode form; it is a key file", async () => {
    expect(await decryptText(protectedKey, { password: password.normalize("NFD") })).toBe(
      `# name: Ann's key\n# created: 2026-11-21T12:00:00.000Z\n# public key: ${pair.publicKey}\n${pair.privateKey}\n`,
    );
  });

  test("does not open with another password", async () => {
    const unlock = { password: `${password} `, passwordCipher };
    expect(await codeOf(() => openProtectedKey(protectedKey, unlock))).toBe("wrong_password");
  });

  test("is made and verified in one call, also post-quantum, within 4 KiB with the longest name", async () => {
    const keyName = "名".repeat(150);
    const quick = { password, passwordCipher: withoutScrypt };
    const made = await createProtectedKey({ ...quick, keyName, createdAt, kind: "post-quantum" });
    expect(made.publicKey).toMatch(/^age1pq1/);
    expect(made.protectedKey.length).toBeLessThanOrEqual(4096);
    const opened = await openProtectedKey(made.protectedKey, quick);
    expect(await publicKeyOf(opened.privateKey)).toBe(made.publicKey);
  });

  test("that can't be decrypted again is never returned", async () => {
    const broken = { ...withoutScrypt, decrypt: () => null };
    expect(await codeOf(() => createProtectedKey({ password, passwordCipher: broken }))).toBe("wrong_password");
  });

  test("is the same file, byte for byte, with either implementation of scrypt", async () => {
    const withFixedRandom = async (cipher: PasswordCipher | undefined) => {
      let count = 0;
      const random = vi.spyOn(globalThis.crypto, "getRandomValues").mockImplementation((array) => {
        new Uint8Array(array!.buffer, array!.byteOffset, array!.byteLength).fill((count += 1));
        return array;
      });
      try {
        return await encryptText("the same", { password, passwordCipher: cipher });
      } finally {
        expect(random).toHaveBeenCalledTimes(3);
        random.mockRestore();
      }
    };
    expect(await withFixedRandom(passwordCipher)).toBe(await withFixedRandom(undefined));
  });
});

test("where the memory for scrypt can't be allocated, it fails with out_of_memory", async () => {
  const noMemory = () => {
    throw new RangeError("Array buffer allocation failed");
  };
  const unlock = { password, passwordCipher: { encrypt: noMemory, decrypt: noMemory } };
  expect(await codeOf(() => protectPrivateKey({ ...pair, ...unlock }))).toBe("out_of_memory");
  expect(await codeOf(() => openProtectedKey(protectedKey, unlock))).toBe("out_of_memory");
});

test("an empty or too long password is refused", async () => {
  for (const bad of ["", "x".repeat(1025)]) {
    expect(await codeOf(() => protectPrivateKey({ ...pair, password: bad, passwordCipher }))).toBe("bad_password");
    expect(await codeOf(() => openProtectedKey(protectedKey, { password: bad, passwordCipher }))).toBe("bad_password");
  }
});

test("text that is not a private key is not protected", async () => {
  expect(await codeOf(() => protectPrivateKey({ privateKey: "x", password, passwordCipher }))).toBe("bad_private_key");
});

test("a name cannot add lines to the key file", () => {
  const text = keyFileText({ ...pair, keyName: "a\nAGE-SECRET-KEY-1X\r\u2028b\u0000" });
  expect(text.split(/[\r\n\u2028]/)).toEqual([
    "# name: a AGE-SECRET-KEY-1X b",
    `# public key: ${pair.publicKey}`,
    pair.privateKey,
    "",
  ]);
});

describe("values in another format are recognised without decrypting them", () => {
  const toKey = encryptText("x", { publicKeys: [pair.publicKey] });
  const binary = dearmor(protectedKey, 4096);
  const withFactor = (factor: string) =>
    armor(Buffer.from(Buffer.from(binary).toString("latin1").replace(/ 18\n/, ` ${factor}\n`), "latin1"));

  test.each([
    ["nothing", () => ""],
    ["an older format", () => "v1:aes:3q2+7w=="],
    ["a bare private key", () => pair.privateKey],
    ["a file for a public key", () => toKey],
    ["several password stanzas", () => armor(vectorNamed("scrypt_double").file)],
    ["work factor 16", () => withFactor("16")],
    ["work factor 19", () => withFactor("19")],
    ["too much", () => `${protectedKey}${" ".repeat(4096)}`],
    ["damaged armor", () => protectedKey.replace("YWdl", "YW*l")],
  ])("%s", async (_, valueOf) => {
    const value = await valueOf();
    expect(isProtectedKey(value)).toBe(false);
    expect(await codeOf(() => openProtectedKey(value, { password }))).toBe("not_protected_key");
  });

  test("a protected key with work factor 17 is accepted", () => expect(isProtectedKey(withFactor("17"))).toBe(true));
});

test("a password file that contains no key is refused after opening", async () => {
  const quick = { password, passwordCipher: withoutScrypt };
  const note = await encryptText("not a key", quick);
  expect(await codeOf(() => openProtectedKey(note, quick))).toBe("bad_private_key");
});
