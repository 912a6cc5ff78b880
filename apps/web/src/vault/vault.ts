/** One worker per call, terminated when the job ends. Failures are codes; callers choose the texts. */
import type { StoredKeyForm } from "@kauke/age";
import { askWorker, type JobOptions, startWorker, VaultError } from "./ask-worker.ts";
import { runUnlocked } from "./unlocked-keys.ts";
import type { JobName, Jobs } from "./vault-jobs.ts";

export { type JobOptions, VaultError, type VaultErrorCode } from "./ask-worker.ts";
export type { KeyToImport } from "./key-import.ts";
export type { DecryptedBlock, Opener } from "./vault-jobs.ts";

/** The private key leaves the worker only encrypted, and after a check that it decrypts. */
export const createKey = jobCalled("createKey");
/** Imports a key, checked as in `createKey`. @throws VaultError also `bad_private_key`, `wrong_password` */
export const importKey = jobCalled("importKey");
/** Tells what a text is before its import. @throws VaultError `bad_private_key`, `too_large` */
export const readKey = jobCalled("readKey");
/** Decrypts a key for the download. @throws VaultError e.g. `wrong_password`, `not_protected_key` */
export const openKey = jobCalled("openKey");
/** Encrypts a text. @returns armor @throws VaultError `bad_public_key`, `too_large`, `not_text` */
export const encryptForKeys = jobCalled("encryptText");
/** Encrypts a file to a binary age file. @throws VaultError `bad_public_key` */
export const encryptFileForKeys = jobCalled("encryptFile");
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

async function runJob<Name extends JobName>(
  name: Name,
  input: Jobs[Name]["input"],
  options: JobOptions,
): Promise<Jobs[Name]["result"]> {
  if (options.signal?.aborted) throw new VaultError("ended");
  if ("opener" in input && "unlocked" in input.opener) return runUnlocked(name, input, options);
  const worker = startWorker();
  return askWorker(worker, name, input, options).finally(() => worker.terminate());
}
