/** An encryption key of an account as stored, with its private half available to the test. */
import { randomUUID } from "node:crypto";
import { decrypt, generateKeyPair, type KeyKind, type KeyPair, keyFileText } from "@kauke/age";
import { type AgeProgram, findAgeProgram } from "@kauke/age/age-program.testing";
import type { Store } from "@kauke/server/store/open-store";

export interface StoredKey extends KeyPair {
  id: string;
}

export async function insertStoredKey(store: Store, userId: string, kind?: KeyKind): Promise<StoredKey> {
  const keys = await generateKeyPair(kind);
  const id = randomUUID();
  const row = { id, userId, keyName: "for mail", encryptedPrivateKey: "not looked at here", isDefault: false };
  await store.encryptionKeys.insert({ ...row, publicKey: keys.publicKey, createdAt: new Date() }, 50);
  return { id, ...keys };
}

/** Finds the armored age file in a message. @returns the file's bytes, exactly as a mail program saves them */
export function encryptedFileOf(message: Buffer | undefined): Buffer {
  const text = String(message?.toString("latin1"));
  const found = /-----BEGIN AGE ENCRYPTED FILE-----[\s\S]*?-----END AGE ENCRYPTED FILE-----\r\n/.exec(text)?.[0];
  if (found === undefined) throw new Error("no age file in this message");
  return Buffer.from(found, "latin1");
}

/** Debian's age program, if it is installed. */
export const ageProgram: AgeProgram | null = findAgeProgram();

/**
 * Decrypts a forwarded age file with our library and, for a classic key, also with the age program if it is installed.
 * @throws when the two results differ
 */
export async function decryptForwarded(file: Buffer, key: StoredKey): Promise<Buffer> {
  const opened = Buffer.from(await decrypt(file, { privateKeys: key.privateKey }));
  if (ageProgram === null || !key.publicKey.startsWith("age1") || key.publicKey.startsWith("age1pq")) return opened;
  const byProgram = await ageProgram.decrypt(file, keyFileText(key));
  if (byProgram === null || !opened.equals(byProgram))
    throw new Error("the age program decrypts to a different result");
  return opened;
}
