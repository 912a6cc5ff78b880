/** What the page and its worker say to each other: one job goes there, a forecast may come, then the result or a code. */
import type { AgeErrorCode, KeyKind } from "@kauke/age";
import type { KeyToImport } from "./key-import.ts";

/** What opens an encrypted text or file: a stored key, a private key (or a whole key file), or the password it was made with. */
export type Opener =
  | { encryptedPrivateKey: string; masterPassword: string }
  | { privateKey: string }
  | { password: string };

export interface Jobs {
  createKey: {
    wish: { keyName: string; masterPassword: string; kind: KeyKind };
    result: { publicKey: string; encryptedPrivateKey: string };
  };
  /** Looks at what is to be imported, before a password is asked for. */
  readKey: { wish: { text: string }; result: KeyToImport };
  /** A private key made elsewhere, or downloaded: its text, a key file, or a file that Settings has downloaded. */
  importKey: {
    wish: { keyName: string; masterPassword: string; text: string };
    result: { publicKey: string; encryptedPrivateKey: string };
  };
  openKey: {
    wish: { encryptedPrivateKey: string; masterPassword: string };
    result: { publicKey: string; privateKey: string };
  };
  encryptText: { wish: { text: string; publicKey: string }; result: string };
  decryptText: { wish: { encryptedText: string; opener: Opener }; result: string };
  decryptFile: { wish: { bytes: ArrayBuffer; opener: Opener }; result: Uint8Array<ArrayBuffer> };
}

export type JobName = keyof Jobs;
export type AnyJob = { [Name in JobName]: { name: Name; wish: Jobs[Name]["wish"] } }[JobName];

export type WorkerAnswer = { forecastSeconds: number } | { result: unknown } | { failure: AgeErrorCode };
