/** Port for age operations in another process, which the library's messages never leave: they can contain the key. */
import { encryptionMessages } from "@kauke/contract";
import { AppError, fieldError } from "./app-error.ts";

/** All jobs except `checkKey`, `encrypt` and `decrypt` run scrypt once. */
export interface AgeJobs {
  makeKey: {
    input: { keyName: string; masterPassword: string; createdAt: Date };
    result: { publicKey: string; encryptedPrivateKey: string };
  };
  /** Checks that `publicKey` is usable and that the private key is a password-protected age file. */
  checkKey: {
    input: { publicKey: string; encryptedPrivateKey: string };
    result: { publicKey: string; encryptedPrivateKey: string };
  };
  openKey: { input: { encryptedPrivateKey: string; masterPassword: string }; result: { privateKey: string } };
  decryptWithKey: {
    input: { encryptedPrivateKey: string; masterPassword: string; encryptedText: string };
    result: { text: string };
  };
  /** `privateKey`: a single age identity, or the text of a whole identity file. */
  decrypt: { input: { privateKey: string; encryptedText: string }; result: { text: string } };
  /** An armored age file is not encrypted again. */
  encrypt: { input: { publicKeys: readonly string[]; text: string }; result: { encryptedText: string } };
}
export type AgeJobName = keyof AgeJobs;

export type AgeFailure =
  | "master_password_wrong"
  | "needs_recreation"
  | "key_not_protected"
  | "wrapped_key_invalid"
  | "public_key_invalid"
  | "private_key_invalid"
  | "no_matching_key"
  | "age_damaged"
  | "not_text"
  | "text_too_long";

export type AgeOutcome<N extends AgeJobName> =
  | { done: true; result: AgeJobs[N]["result"] }
  | { done: false; failure: AgeFailure };

export interface AgeJob<N extends AgeJobName> {
  name: N;
  /** Accounts take turns: the worker next serves the one that recently used the least of its time. */
  userId: string;
}

export interface AgeWorker {
  /** @throws AppError `busy` when the queue is full; `unavailable` if the worker failed, timed out or shuts down */
  run<N extends AgeJobName>(job: AgeJob<N>, input: AgeJobs[N]["input"]): Promise<AgeOutcome<N>>;
}

const errors: Record<AgeFailure, () => AppError> = {
  master_password_wrong: () => new AppError("master_password_wrong"),
  needs_recreation: () => new AppError("key_not_protected", { message: encryptionMessages.needsRecreation }),
  key_not_protected: () => new AppError("key_not_protected"),
  wrapped_key_invalid: () => fieldError("encryptedPrivateKey", encryptionMessages.wrappedKeyInvalid),
  public_key_invalid: () => fieldError("publicKey", encryptionMessages.publicKeyInvalid),
  private_key_invalid: () => new AppError("private_key_invalid"),
  no_matching_key: () => new AppError("no_matching_key"),
  age_damaged: () => new AppError("age_damaged"),
  not_text: () => new AppError("not_text"),
  text_too_long: () => new AppError("too_large", { message: encryptionMessages.textLong }),
};

/** @throws AppError with our own message when the job failed */
export function ageResult<N extends AgeJobName>(outcome: AgeOutcome<N>): AgeJobs[N]["result"] {
  if (outcome.done) return outcome.result;
  throw errors[outcome.failure]();
}
