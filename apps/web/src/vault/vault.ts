/**
 * Work with keys, for the pages: each call is one job in a worker of its own, which is ended when the job is. Nothing of a job
 * is kept here. Failures are codes; what people read about them is the caller's.
 */
import type { AgeErrorCode, KeyKind as AgeKeyKind, StoredKeyForm } from "@kauke/age";
import type { JobName, Jobs, WorkerAnswer } from "./vault-jobs.ts";
import { vaultWorkerUrl } from "./worker-url.ts";

export type KeyKind = AgeKeyKind;
export type { KeyToImport } from "./key-import.ts";
export type { Opener } from "./vault-jobs.ts";
/**
 * `ended`: the signal asked for it, or the browser could not run the worker to its end. `unprotected_key`: the stored key has no
 * master password.
 */
export type VaultErrorCode = AgeErrorCode | "ended" | "unprotected_key";

export class VaultError extends Error {
  readonly code: VaultErrorCode;

  constructor(code: VaultErrorCode) {
    super(code);
    this.name = "VaultError";
    this.code = code;
  }
}

export interface JobOptions {
  /** Ends the worker at once; the call then fails with `ended`. */
  signal?: AbortSignal;
  /** Seconds the work of a password will take here; called once, before it begins, and only where there is such work. */
  onForecast?: (seconds: number) => void;
}

/** Makes a key pair, wraps its private key, opens it again and compares; the private key never leaves the worker. */
export const createKey = jobCalled("createKey");
/** Wraps a private key that the person has, and opens it again; only its protected form leaves the worker. @throws VaultError as `createKey`, `bad_private_key`, `wrong_password` */
export const importKey = jobCalled("importKey");
/** What a text is that somebody wants to import. @throws VaultError `bad_private_key`, `too_large` */
export const readKey = jobCalled("readKey");
/** For the download that holds the private key. @throws VaultError `wrong_password`, `not_protected_key` … */
export const openKey = jobCalled("openKey");
/** @returns armor @throws VaultError `bad_public_key`, `too_large`, `not_text` */
export const encryptText = jobCalled("encryptText");
/** Takes armor as people paste it, text around it too. @throws VaultError as `decryptText` of @kauke/age */
export const decryptText = jobCalled("decryptText");
/** A dropped file, binary or armored, up to 40 MiB; its buffer is handed over and empty afterwards. */
export const decryptFile = jobCalled("decryptFile");

/** Whether something can be encrypted to it; loads the code with the first call, needs no worker. */
export async function checkPublicKey(text: string): Promise<boolean> {
  const age = await import("@kauke/age");
  return age.checkPublicKey(text).then(
    () => true,
    () => false,
  );
}

/** Opens nothing; loads the code with the first call. */
export async function readStoredKeyForm(encryptedPrivateKey: string): Promise<StoredKeyForm> {
  const { storedKeyForm } = await import("@kauke/age");
  return storedKeyForm(encryptedPrivateKey);
}

function jobCalled<Name extends JobName>(name: Name) {
  return (wish: Jobs[Name]["wish"], options: JobOptions = {}): Promise<Jobs[Name]["result"]> =>
    runJob(name, wish, options);
}

function runJob<Name extends JobName>(
  name: Name,
  wish: Jobs[Name]["wish"],
  { signal, onForecast }: JobOptions,
): Promise<Jobs[Name]["result"]> {
  if (signal?.aborted) return Promise.reject(new VaultError("ended"));
  const worker = new Worker(vaultWorkerUrl(), { type: "module" });
  const { promise, resolve, reject } = Promise.withResolvers<Jobs[Name]["result"]>();
  const end = () => reject(new VaultError("ended"));
  signal?.addEventListener("abort", end);
  worker.onerror = end;
  worker.onmessageerror = end;
  worker.onmessage = ({ data }: MessageEvent<WorkerAnswer>) => {
    if ("forecastSeconds" in data) onForecast?.(data.forecastSeconds);
    else if ("failure" in data) reject(new VaultError(data.failure));
    else resolve(data.result as Jobs[Name]["result"]);
  };
  worker.postMessage({ name, wish }, "bytes" in wish ? [wish.bytes] : []);
  return promise.finally(() => {
    worker.terminate();
    signal?.removeEventListener("abort", end);
  });
}
