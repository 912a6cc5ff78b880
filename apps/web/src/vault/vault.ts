/** One worker per call, terminated when the job ends. Failures are codes; callers choose the texts. */
import type { AgeErrorCode, StoredKeyForm } from "@kauke/age";
import type { JobName, Jobs, WorkerMessage } from "./vault-jobs.ts";
import { isNotLoaded, vaultWorkerUrl } from "./worker-url.ts";

export type { KeyToImport } from "./key-import.ts";
export type { DecryptedBlock, Opener } from "./vault-jobs.ts";
/** `ended`: aborted, or the worker died. `not_loaded`: its code. `unprotected_key`: no master password. */
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
  /** Aborting terminates the worker; the call rejects with `ended`. */
  signal?: AbortSignal;
  /** Called with the estimated seconds; only for jobs with a password. */
  onForecast?: (seconds: number) => void;
}

/** The private key leaves the worker only encrypted, and after a check that it decrypts. */
export const createKey = jobCalled("createKey");
/** Imports a key, checked as in `createKey`. @throws VaultError also `bad_private_key`, `wrong_password` */
export const importKey = jobCalled("importKey");
/** Tells what a text is before its import. @throws VaultError `bad_private_key`, `too_large` */
export const readKey = jobCalled("readKey");
/** Decrypts a key for the download. @throws VaultError e.g. `wrong_password`, `not_protected_key` */
export const openKey = jobCalled("openKey");
/** Encrypts a text. @returns armor @throws VaultError `bad_public_key`, `too_large`, `not_text` */
export const encryptForKey = jobCalled("encryptText");
/** Decrypts the blocks in a text. @throws VaultError without a block, or if the key can't be opened */
export const decryptBlocks = jobCalled("decryptBlocks");
/** Decrypts a file of up to 40 MiB; the buffer is transferred and detached. */
export const decryptFile = jobCalled("decryptFile");

/** Checks a public key; loads the age library, but needs no worker. */
export async function isValidPublicKey(text: string): Promise<boolean> {
  const age = await import("@kauke/age");
  return age.checkPublicKey(text).then(
    () => true,
    () => false,
  );
}

/** Tells a stored key's form; loads the age library and decrypts nothing. */
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
  worker.onmessage = ({ data }: MessageEvent<WorkerMessage>) => {
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
