/** The page sends one job; the worker an estimate, then the result or an error code. */
import type { AgeErrorCode, KeyKind } from "@kauke/age";
import type { KeyToImport } from "./key-import.ts";

/** What decrypts: a stored key, the keys unlocked in this worker, a private key or key file, or a password. */
export type Opener =
  | { encryptedPrivateKey: string; masterPassword: string }
  | { unlocked: true }
  | { privateKey: string }
  | { password: string };

/** Keys open at a time: each is tried on each stanza of a file. The oldest is locked. */
export const UNLOCKED_MAX = 8;

/** Decrypted blocks in the text's order. `quoteDepth`: quote marks before the block. */
export type DecryptedBlock = { quoteDepth: number } & (
  | { content: Uint8Array<ArrayBuffer>; failure: null }
  | { content: null; failure: AgeErrorCode }
);

export interface Jobs {
  createKey: {
    input: { keyName: string; masterPassword: string; kind: KeyKind };
    result: { publicKey: string; encryptedPrivateKey: string };
  };
  /** Reads a key before a password is asked for. */
  readKey: { input: { text: string }; result: KeyToImport };
  /** Imports a text, a key file, or a file from Settings. */
  importKey: {
    input: { keyName: string; masterPassword: string; text: string };
    result: { publicKey: string; encryptedPrivateKey: string };
  };
  /** Decrypts a key and holds it until the worker ends. */
  unlockKey: { input: { encryptedPrivateKey: string; masterPassword: string }; result: string };
  openKey: {
    input: { encryptedPrivateKey: string; masterPassword: string };
    result: { publicKey: string; privateKey: string };
  };
  encryptText: { input: { text: string; publicKeys: readonly string[] }; result: string };
  /** Encrypts in chunks: neither file is in memory as a whole. */
  encryptFile: { input: { file: Blob; publicKeys: readonly string[] }; result: Blob };
  decryptBlocks: { input: { text: string; opener: Opener }; result: readonly DecryptedBlock[] };
  decryptFile: { input: { bytes: ArrayBuffer; opener: Opener }; result: Uint8Array<ArrayBuffer> };
}

export type JobName = keyof Jobs;
export type AnyJob = { [Name in JobName]: { name: Name; input: Jobs[Name]["input"] } }[JobName];

export type WorkerMessage = { forecastSeconds: number } | { result: unknown } | { failure: AgeErrorCode };
