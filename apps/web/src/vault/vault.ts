/**
 * Key operations for pages: each call is one job in a worker of its own, which is terminated when the job ends. The
 * page keeps nothing of a job. Failures are codes; callers choose the messages.
 */
import type { AgeErrorCode, StoredKeyForm } from "@kauke/age";
import type { JobName, Jobs, WorkerAnswer } from "./vault-jobs.ts";
import { isNotLoaded, vaultWorkerUrl } from "./worker-url.ts";

export type { KeyToImport } from "./key-import.ts";
export type { DecryptedBlock, Opener } from "./vault-jobs.ts";
/**
 * Why a key operation failed. `ended`: the signal was aborted, or the browser could not finish the worker. `not_loaded`:
 * the worker's code could not be loaded.
 * `unprotected_key`: the stored key has no master password.
 */
export type VaultErrorCode = AgeErrorCode | "ended" | "not_loaded" | "unprotected_key";

export class VaultError extends Error {
  readonly code: VaultErrorCode;

  constructor(code: VaultErrorCode) {
    super(code);
    this.name = "VaultError";
    this.code = code;
  }
}

export interface JobOptions {
  /** Terminates the worker at once; the call then rejects with `ended`. */
  signal?: AbortSignal;
  /** Called once with the estimated seconds of the work, before it begins; only for jobs with a password. */
  onForecast?: (seconds: number) => void;
}

/**
 * Generates a key pair, encrypts its private key, decrypts it again and compares; the private key never leaves the
 * worker.
 */
export const createKey = jobCalled("createKey");
/**
 * Encrypts an existing private key with the master password and decrypts it again as a check; only the encrypted form
 * leaves the worker.
 * @throws VaultError as `createKey`, `bad_private_key`, `wrong_password`
 */
export const importKey = jobCalled("importKey");
/** Detects what a text is that is about to be imported. @throws VaultError `bad_private_key`, `too_large` */
export const readKey = jobCalled("readKey");
/** Decrypts a stored private key for its download. @throws VaultError e.g. `wrong_password`, `not_protected_key` */
export const openKey = jobCalled("openKey");
/**
 * Encrypts a text for a public key.
 * @returns armor
 * @throws VaultError `bad_public_key`, `too_large`, `not_text`
 */
export const encryptForKey = jobCalled("encryptText");
/**
 * Decrypts the armored blocks of text as it was pasted, ignoring the text around them. @throws VaultError if there is no
 * block, or if the key can't be opened
 */
export const decryptBlocks = jobCalled("decryptBlocks");
/** Decrypts a file, binary or armored, up to 40 MiB; its buffer is transferred to the worker and detached. */
export const decryptFile = jobCalled("decryptFile");

/** Whether the text is a valid public key. The first call loads the code; no worker is needed. */
export async function isValidPublicKey(text: string): Promise<boolean> {
  const age = await import("@kauke/age");
  return age.checkPublicKey(text).then(
    () => true,
    () => false,
  );
}

/** Reads how a stored key is protected without decrypting it; the first call loads the code. */
export async function readStoredKeyForm(encryptedPrivateKey: string): Promise<StoredKeyForm> {
  const { storedKeyForm } = await import("@kauke/age");
  return storedKeyForm(encryptedPrivateKey);
}

function jobCalled<Name extends JobName>(name: Name) {
  return (input: Jobs[Name]["input"], options: JobOptions = {}): Promise<Jobs[Name]["result"]> =>
    runJob(name, input, options);
}

function runJob<Name extends JobName>(
  name: Name,
  input: Jobs[Name]["input"],
  { signal, onForecast }: JobOptions,
): Promise<Jobs[Name]["result"]> {
  if (signal?.aborted) return Promise.reject(new VaultError("ended"));
  const worker = new Worker(vaultWorkerUrl(), { type: "module" });
  const { promise, resolve, reject } = Promise.withResolvers<Jobs[Name]["result"]>();
  const end = () => reject(new VaultError("ended"));
  signal?.addEventListener("abort", end);
  worker.onerror = (event) => (isNotLoaded(event) ? reject(new VaultError("not_loaded")) : end());
  worker.onmessageerror = end;
  worker.onmessage = ({ data }: MessageEvent<WorkerAnswer>) => {
    if ("forecastSeconds" in data) onForecast?.(data.forecastSeconds);
    else if ("failure" in data) reject(new VaultError(data.failure));
    else resolve(data.result as Jobs[Name]["result"]);
  };
  worker.postMessage({ name, input }, "bytes" in input ? [input.bytes] : []);
  return promise.finally(() => {
    worker.terminate();
    signal?.removeEventListener("abort", end);
  });
}
