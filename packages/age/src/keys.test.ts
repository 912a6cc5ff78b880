import { describe, expect, test, vi } from "vitest";
import { AgeError, type AgeErrorCode } from "./age-error.ts";
import { decryptText } from "./decrypt.ts";
import { encrypt, encryptText } from "./encrypt.ts";
import { generateKeyPair, publicKeyOf, readPrivateKeys } from "./private-key.ts";
import { checkPublicKey, isPublicKey, publicKeyKind } from "./public-key.ts";

const classic = await generateKeyPair();
const other = await generateKeyPair();
const quantum = await generateKeyPair("post-quantum");

/** Every X25519 point that makes the shared secret zero: valid spelling, but unusable. */
const lowOrder = [
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0100000000000000000000000000000000000000000000000000000000000000",
  "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
  "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
];

const codeOf = async (work: () => unknown): Promise<AgeErrorCode | "no error"> => {
  try {
    await work();
    return "no error";
  } catch (error) {
    expect(error).toBeInstanceOf(AgeError);
    expect((error as AgeError).message).toBe((error as AgeError).code);
    return (error as AgeError).code;
  }
};

describe.each([
  ["classic", classic, 62, /^AGE-SECRET-KEY-1[0-9A-Z]{58}$/],
  ["post-quantum", quantum, 1959, /^AGE-SECRET-KEY-PQ-1[0-9A-Z]+$/],
] as const)("a %s key pair", (kind, pair, length, spelling) => {
  test("has the spelling of age, and its public key is derived from the private one", async () => {
    expect(pair.publicKey).toHaveLength(length);
    expect(pair.privateKey).toMatch(spelling);
    expect(await publicKeyOf(pair.privateKey)).toBe(pair.publicKey);
    expect(isPublicKey(pair.publicKey)).toBe(true);
    expect(publicKeyKind(pair.publicKey)).toBe(kind);
    expect(await checkPublicKey(` ${pair.publicKey}\n`)).toBe(pair.publicKey);
  });

  test("decrypts what was encrypted to it, and no other pair does", async () => {
    const armored = await encryptText("Ačiū 🎭", { publicKeys: [pair.publicKey] });
    expect(await decryptText(armored, { privateKeys: pair.privateKey })).toBe("Ačiū 🎭");
    for (const wrong of [other, await generateKeyPair("post-quantum")]) {
      expect(await codeOf(() => decryptText(armored, { privateKeys: wrong.privateKey }))).toBe("no_matching_key");
    }
  });

  test("is read with white space, comments and as a whole key file", async () => {
    const { publicKey, privateKey } = pair;
    for (const text of [
      `${privateKey}\n`,
      `  ${privateKey}\t`,
      `\u00a0${privateKey}\u200b`,
      `\ufeff# created: 2026-11-21\r\n# public key: ${publicKey}\r\n${privateKey}\r\n`,
    ]) {
      expect(readPrivateKeys(text)).toEqual([privateKey]);
      expect(await publicKeyOf(text)).toBe(publicKey);
    }
  });
});

test("one of several keys in a file decrypts it", async () => {
  const armored = await encryptText("x", { publicKeys: [classic.publicKey] });
  const file = `# old\n${other.privateKey}\n# quantum\n${quantum.privateKey}\n\n${classic.privateKey}\n`;
  expect(await decryptText(armored, { privateKeys: file })).toBe("x");
  expect(await codeOf(() => publicKeyOf(file))).toBe("bad_private_key");
});

const mistyped = `${classic.privateKey.slice(0, -1)}${classic.privateKey.endsWith("Q") ? "P" : "Q"}`;

test.each([
  ["an empty text", ""],
  ["comments alone", "# created: today"],
  ["a mistyped key", mistyped],
  ["a key of lower case", classic.privateKey.toLowerCase()],
  ["a public key", classic.publicKey],
  ["a key and something else", `${classic.privateKey}\nhello`],
  ["half a key", classic.privateKey.slice(0, 40)],
  ["an SSH key", "-----BEGIN OPENSSH PRIVATE KEY-----"],
])("%s is not a private key, and the error does not contain it", async (_, text) => {
  const attempts: readonly (() => unknown)[] = [
    () => readPrivateKeys(text),
    () => publicKeyOf(text),
    () =>
      encryptText("x", { publicKeys: [classic.publicKey] }).then((file) => decryptText(file, { privateKeys: text })),
  ];
  for (const work of attempts) {
    const thrown: unknown = await Promise.resolve()
      .then(work)
      .catch((error: unknown) => error);
    expect(thrown).toMatchObject({ name: "AgeError", code: "bad_private_key", message: "bad_private_key" });
    const { stack = "" } = thrown as Error;
    if (text.length > 20) expect(stack).not.toContain(text.slice(16, 40));
  }
});

test("more keys than can be tried in reasonable time are refused", async () => {
  const pairs = await Promise.all(Array.from({ length: 9 }, () => generateKeyPair()));
  expect(await codeOf(() => readPrivateKeys(pairs.map((pair) => pair.privateKey).join("\n")))).toBe("too_large");
  expect(await codeOf(() => readPrivateKeys("#".repeat(20_000)))).toBe("too_large");
});

test.each([
  ["nothing", ""],
  ["a mistyped key", classic.publicKey.replace(/.$/, (last) => (last === "q" ? "p" : "q"))],
  ["half a key", classic.publicKey.slice(0, 30)],
  ["half a post-quantum key", quantum.publicKey.slice(0, 900)],
  ["upper case", classic.publicKey.toUpperCase()],
  ["a private key", classic.privateKey],
  ["an SSH key", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOWmd"],
  ["two keys", `${classic.publicKey} ${other.publicKey}`],
  ["a long text", "age1".repeat(10_000)],
])("%s is not a public key", async (_, text) => {
  expect(isPublicKey(text)).toBe(false);
  expect(await codeOf(() => checkPublicKey(text))).toBe("bad_public_key");
  expect(await codeOf(() => encrypt(new Uint8Array(1), { publicKeys: [text] }))).toBe("bad_public_key");
});

test("a well-spelled key of low order is refused by the trial and when encrypting", async () => {
  for (const point of lowOrder) {
    const key = bech32("age", Buffer.from(point, "hex"));
    expect(isPublicKey(key)).toBe(true);
    expect(await codeOf(() => checkPublicKey(key))).toBe("bad_public_key");
    const both = { publicKeys: [classic.publicKey, key] };
    expect(await codeOf(() => encrypt(new Uint8Array(1), both))).toBe("bad_public_key");
  }
});

test("a file has one to twenty recipients, and never classic and post-quantum ones together", async () => {
  const to = (...publicKeys: string[]) => codeOf(() => encryptText("x", { publicKeys }));
  expect(await to()).toBe("no_recipients");
  expect(await to(classic.publicKey, quantum.publicKey)).toBe("mixed_recipients");
  expect(await to(...Array.from({ length: 21 }, () => classic.publicKey))).toBe("too_large");
  expect(await to(classic.publicKey, other.publicKey)).toBe("no error");
});

test("a recipient given twice gets one stanza", async () => {
  const once = await encrypt(new Uint8Array(1), { publicKeys: [classic.publicKey] });
  const twice = await encrypt(new Uint8Array(1), { publicKeys: [classic.publicKey, ` ${classic.publicKey}`] });
  expect(twice).toHaveLength(once.length);
});

test("checking a key costs under 5 ms of processor time per key press", () => {
  for (const { publicKey } of [classic, quantum]) {
    isPublicKey(publicKey);
    const began = process.cpuUsage();
    for (let round = 0; round < 20; round += 1) isPublicKey(publicKey);
    const { user, system } = process.cpuUsage(began);
    expect((user + system) / 1000 / 20).toBeLessThan(5);
  }
});

test("without Web Crypto (a page on plain http) it fails with insecure_context", async () => {
  vi.stubGlobal("crypto", { getRandomValues: () => undefined });
  try {
    const armored = "-----BEGIN AGE ENCRYPTED FILE-----";
    expect(await codeOf(() => encryptText("x", { publicKeys: [classic.publicKey] }))).toBe("insecure_context");
    expect(await codeOf(() => publicKeyOf(classic.privateKey))).toBe("insecure_context");
    expect(await codeOf(() => decryptText(armored, { privateKeys: classic.privateKey }))).toBe("malformed");
  } finally {
    vi.unstubAllGlobals();
  }
});

/** Encodes bech32 (BIP 173), for keys that no generator makes. */
function bech32(prefix: string, bytes: Uint8Array): string {
  const alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  const words = (bits.padEnd(Math.ceil(bits.length / 5) * 5, "0").match(/.{5}/g) ?? []).map((word) =>
    parseInt(word, 2),
  );
  const codes = Array.from(prefix, (letter) => letter.charCodeAt(0));
  const spread = [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31)];
  const check = polymod([...spread, ...words, 0, 0, 0, 0, 0, 0]) ^ 1;
  const checksum = [25, 20, 15, 10, 5, 0].map((shift) => (check >> shift) & 31);
  return `${prefix}1${[...words, ...checksum].map((word) => alphabet[word]).join("")}`;
}

function polymod(values: readonly number[]): number {
  const generator = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
  return values.reduce((sum, value) => {
    const shifted = ((sum & 0x1ffffff) << 5) ^ value;
    return generator.reduce((mixed, factor, bit) => (((sum >> 25) >> bit) & 1 ? mixed ^ factor : mixed), shifted);
  }, 1);
}
