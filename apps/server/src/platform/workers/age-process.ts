/** The child process of `age-worker.ts`. Invalid input is refused before it costs scrypt. */

import {
  AGE_FILE_MAX_BYTES,
  AgeError,
  type AgeErrorCode,
  armor,
  checkPublicKey,
  createProtectedKey,
  dearmor,
  decryptText,
  encryptText,
  isAgeFile,
  isProtectedKey,
  openProtectedKey,
  readPrivateKeys,
  storedKeyForm,
} from "@kauke/age";
import { nodePasswordCipher } from "@kauke/age/node-password-cipher";
import type { AgeFailure, AgeJobName, AgeJobs, AgeOutcome } from "../../core/age-worker.ts";
import { serveOrders } from "../../runtime/threads/child-worker.ts";

serveOrders(({ name, input }: { name: AgeJobName; input: AgeJobs[AgeJobName]["input"] }) => {
  // The previous job's garbage would add to scrypt's 256 MiB.
  globalThis.gc?.();
  return runAgeJob(name, input);
});

type Work = { [N in AgeJobName]: (input: AgeJobs[N]["input"]) => Promise<AgeJobs[N]["result"]> };

class JobFailure extends Error {
  readonly failure: AgeFailure;

  constructor(failure: AgeFailure) {
    super(failure);
    this.failure = failure;
  }
}

const work: Work = {
  async makeKey({ keyName, masterPassword, createdAt }) {
    const input = { keyName, createdAt, password: masterPassword, passwordCipher: nodePasswordCipher };
    const { publicKey, protectedKey } = await orFail(passwordFailures, () => createProtectedKey(input));
    return { publicKey, encryptedPrivateKey: protectedKey };
  },
  async checkKey({ publicKey, encryptedPrivateKey }) {
    if (!isProtectedKey(encryptedPrivateKey)) throw new JobFailure("wrapped_key_invalid");
    return { publicKey: await usable(publicKey), encryptedPrivateKey: sameArmor(encryptedPrivateKey) };
  },
  async openKey({ encryptedPrivateKey, masterPassword }) {
    return { privateKey: await openStored(encryptedPrivateKey, masterPassword) };
  },
  async decryptWithKey({ encryptedPrivateKey, masterPassword, encryptedText }) {
    await checkStored(encryptedPrivateKey);
    if (!isAgeFile(encryptedText)) throw new JobFailure("age_damaged");
    const privateKeys = await openStored(encryptedPrivateKey, masterPassword);
    return { text: await opened(encryptedText, privateKeys) };
  },
  async decrypt({ privateKey, encryptedText }) {
    await orFail({}, () => readPrivateKeys(privateKey), "private_key_invalid");
    return { text: await opened(encryptedText, privateKey) };
  },
  async encrypt({ publicKeys: given, text }) {
    const publicKeys = await Promise.all(given.map((publicKey) => usable(publicKey)));
    if (isAgeFile(text)) return { encryptedText: sameArmor(text) };
    return { encryptedText: await orFail(textFailures, () => encryptText(text, { publicKeys })) };
  },
};

/** @throws an unexpected error, whose message may contain secrets and must not be passed on */
async function runAgeJob<N extends AgeJobName>(name: N, input: AgeJobs[N]["input"]): Promise<AgeOutcome<N>> {
  try {
    return { done: true, result: await work[name](input) };
  } catch (thrown) {
    if (thrown instanceof JobFailure) return { done: false, failure: thrown.failure };
    throw thrown;
  }
}

type Failures = Partial<Record<AgeErrorCode, AgeFailure>>;

const passwordFailures: Failures = { bad_password: "master_password_wrong", wrong_password: "master_password_wrong" };
const keyFailures: Failures = { bad_public_key: "public_key_invalid" };
const textFailures: Failures = {
  not_age: "age_damaged",
  malformed: "age_damaged",
  work_factor_too_high: "age_damaged",
  no_matching_key: "no_matching_key",
  not_text: "not_text",
  too_large: "text_too_long",
  bad_private_key: "private_key_invalid",
};

/** @param otherwise failure for codes that are not in `failures`; without it such errors are rethrown */
async function orFail<T>(failures: Failures, job: () => T | Promise<T>, otherwise?: AgeFailure): Promise<T> {
  try {
    return await job();
  } catch (thrown) {
    const failure = thrown instanceof AgeError ? (failures[thrown.code] ?? otherwise) : undefined;
    throw failure === undefined ? thrown : new JobFailure(failure);
  }
}

function usable(publicKey: string): Promise<string> {
  return orFail(keyFailures, () => checkPublicKey(publicKey));
}

function opened(encryptedText: string, privateKeys: string): Promise<string> {
  return orFail(textFailures, () => decryptText(encryptedText, { privateKeys }));
}

function sameArmor(armored: string): string {
  return armor(dearmor(armored, AGE_FILE_MAX_BYTES));
}

/** A file that opens but does not contain exactly one key counts as `needs_recreation`. */
async function openStored(encryptedPrivateKey: string, password: string): Promise<string> {
  await checkStored(encryptedPrivateKey);
  const unlock = { password, passwordCipher: nodePasswordCipher };
  const open = () => openProtectedKey(encryptedPrivateKey, unlock);
  return (await orFail(passwordFailures, open, "needs_recreation")).privateKey;
}

async function checkStored(encryptedPrivateKey: string): Promise<void> {
  const form = await storedKeyForm(encryptedPrivateKey);
  if (form === "protected") return;
  throw new JobFailure(form === "unprotected" ? "key_not_protected" : "needs_recreation");
}
