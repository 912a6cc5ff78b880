/**
 * What is done with age, and who does it: a worker apart from the event loop, one job at a time. A job's outcome is a value of a
 * closed set; nothing the age library says leaves the worker, since it can hold the secret key.
 */

/** Each job with what it takes and what it makes. All but `checkKey`, `encrypt` and `decrypt` cost a whole scrypt. */
export interface AgeJobs {
  makeKey: {
    wish: { keyName: string; masterPassword: string; createdAt: Date };
    result: { publicKey: string; encryptedPrivateKey: string };
  };
  /** Whether something can be encrypted to the public key, and the other one is a private key under a password. */
  checkKey: {
    wish: { publicKey: string; encryptedPrivateKey: string };
    result: { publicKey: string; encryptedPrivateKey: string };
  };
  openKey: { wish: { encryptedPrivateKey: string; masterPassword: string }; result: { privateKey: string } };
  decryptWithKey: {
    wish: { encryptedPrivateKey: string; masterPassword: string; encryptedText: string };
    result: { text: string };
  };
  /** @property privateKey an identity, or a whole identity file */
  decrypt: { wish: { privateKey: string; encryptedText: string }; result: { text: string } };
  /** A text that is an armored age file already stays as it is. */
  encrypt: { wish: { publicKey: string; text: string }; result: { encryptedText: string } };
}
export type AgeJobName = keyof AgeJobs;

export type AgeFailure =
  | "master_password_wrong"
  /** The stored value was made by an older method. */
  | "needs_recreation"
  /** The stored value is protected by something else, or by nothing. */
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
  /** The account whose share of the worker it uses. */
  userId: string;
}

export interface AgeWorker {
  /** @throws AppError `busy` when too many wait, `unavailable` when it broke, took too long or the process closes */
  run<N extends AgeJobName>(job: AgeJob<N>, wish: AgeJobs[N]["wish"]): Promise<AgeOutcome<N>>;
}
