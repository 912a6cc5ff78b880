/**
 * Keys and encrypted messages for the journeys, made outside the browser by the age module, and decryption with the age
 * program.
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { armor, encrypt, encryptText, generateKeyPair, type KeyPair, protectPrivateKey } from "@kauke/age";
import { nodePasswordCipher } from "@kauke/age/node-password-cipher";
import type { EncryptionKeyWire } from "@kauke/contract";
import type { Person } from "@kauke/testkit/person";
import { readyKey } from "./ready-key.ts";

export const masterPassword = "seven slow herons cross the lagoon";

/** @returns the private key encrypted with the master password, as it is stored; takes half a second */
export function wrapPrivateKey({ privateKey }: KeyPair, keyName: string): Promise<string> {
  return protectPrivateKey({ privateKey, keyName, password: masterPassword, passwordCipher: nodePasswordCipher });
}

/** Stores a new key for this person, in the form the page stores it. */
export async function storeKey(person: Person, keyName: string): Promise<StoredKey> {
  const pair = await generateKeyPair();
  return store(person, { ...pair, keyName, encryptedPrivateKey: await wrapPrivateKey(pair, keyName) });
}

/**
 * Stores a prepared key, under the master password with work factor 17, the lowest that is accepted: storing and
 * opening it costs half of what a new one does. For journeys that do not test how keys are made.
 */
export function storeReadyKey(person: Person, keyName: string): Promise<StoredKey> {
  return store(person, { ...readyKey, keyName });
}

type StoredKey = KeyPair & { id: string };

async function store(
  person: Person,
  key: KeyPair & { keyName: string; encryptedPrivateKey: string },
): Promise<StoredKey> {
  const { keyName, publicKey, privateKey, encryptedPrivateKey } = key;
  const body = { keyName, publicKey, encryptedPrivateKey };
  const answer = await person.call("POST", "/api/encryption-keys", body);
  if (answer.status !== 201) throw new Error(`storing a key answered ${answer.status}`);
  return { publicKey, privateKey, id: (answer.body as { key: EncryptionKeyWire }).key.id };
}

export function encryptedText(text: string, publicKey: string): Promise<string> {
  return encryptText(text, { publicKeys: [publicKey] });
}

/** Encrypts a file for the page's file field: armored if its name ends in `.eml.age`, as in mail, otherwise binary. */
export async function encryptFile(name: string, content: Buffer, publicKey: string) {
  const sealed = await encrypt(content, { publicKeys: [publicKey] });
  const buffer = name.endsWith(".eml.age") ? Buffer.from(armor(sealed)) : Buffer.from(sealed);
  return { name, mimeType: "application/vnd.age", buffer };
}

/** Whether the age program is installed on this machine. */
export const hasAge = spawnSync("age", ["--version"]).status === 0;

/** Decrypts with `age -d`. @throws with the program's message if it refuses */
export async function decryptWithAge(encrypted: string, privateKey: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "kauke-age-"));
  try {
    const keyFile = join(folder, "key.txt");
    await writeFile(keyFile, `${privateKey}\n`, { mode: 0o600 });
    const age = spawn("age", ["-d", "-i", keyFile]);
    const [out, err]: [Buffer[], Buffer[]] = [[], []];
    age.stdout.on("data", (chunk: Buffer) => void out.push(chunk));
    age.stderr.on("data", (chunk: Buffer) => void err.push(chunk));
    age.stdin.end(encrypted);
    const code = await new Promise<number | null>((resolve) => age.on("close", resolve));
    if (code !== 0) throw new Error(Buffer.concat(err).toString());
    return Buffer.concat(out).toString();
  } finally {
    await rm(folder, { recursive: true });
  }
}
