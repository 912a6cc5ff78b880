/**
 * Messages between the page and its worker: the page sends one job; the worker may send an estimate, then the result or
 * an error code.
 */
import type { AgeErrorCode, KeyKind } from "@kauke/age";
import type { KeyToImport } from "./key-import.ts";

/**
 * What decrypts a text or file: a stored key, a private key (or a whole key file), or the password it was encrypted
 * with.
 */
export type Opener =
  | { encryptedPrivateKey: string; masterPassword: string }
  | { privateKey: string }
  | { password: string };

/**
 * One of the armored blocks of a text, in their order there: the content, or why it was not decrypted. `quoteDepth`: number
 * of quote marks before it.
 */
export type DecryptedBlock = { quoteDepth: number } & (
  | { content: Uint8Array<ArrayBuffer>; failure: null }
  | { content: null; failure: AgeErrorCode }
);

export interface Jobs {
  createKey: {
    input: { keyName: string; masterPassword: string; kind: KeyKind };
    result: { publicKey: string; encryptedPrivateKey: string };
  };
  /** Detects what a text is that is about to be imported, before a password is asked for. */
  readKey: { input: { text: string }; result: KeyToImport };
  /** Imports a private key made elsewhere, or downloaded: its text, a key file, or a file from Settings. */
  importKey: {
    input: { keyName: string; masterPassword: string; text: string };
    result: { publicKey: string; encryptedPrivateKey: string };
  };
  openKey: {
    input: { encryptedPrivateKey: string; masterPassword: string };
    result: { publicKey: string; privateKey: string };
  };
  encryptText: { input: { text: string; publicKey: string }; result: string };
  /** Decrypts all armored blocks of a text. */
  decryptBlocks: { input: { text: string; opener: Opener }; result: readonly DecryptedBlock[] };
  decryptFile: { input: { bytes: ArrayBuffer; opener: Opener }; result: Uint8Array<ArrayBuffer> };
}

export type JobName = keyof Jobs;
export type AnyJob = { [Name in JobName]: { name: Name; input: Jobs[Name]["input"] } }[JobName];

export type WorkerAnswer = { forecastSeconds: number } | { result: unknown } | { failure: AgeErrorCode };
