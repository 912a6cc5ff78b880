import { encryptionMessages, limits } from "@kauke/contract";
import type { Random } from "../runtime/ports.ts";
import { type AgeWorker, ageResult } from "./age-worker.ts";
import { AppError, notFound } from "./app-error.ts";
import { type LimitDeps, takeLimit } from "./take-limit.ts";

/** A public key, and its private key as an age file under a master password that the server does not have. */
export interface EncryptionKey {
  id: string;
  userId: string;
  keyName: string;
  /** `age1…`, or post-quantum `age1pq1…`. */
  publicKey: string;
  /** Every account with keys has exactly one default key. */
  isDefault: boolean;
  createdAt: Date;
}

export interface NewEncryptionKey extends EncryptionKey {
  /** An account's first key becomes the default even if false. */
  isDefault: boolean;
  encryptedPrivateKey: string;
}

export interface EncryptionKeyStore {
  listForUser(userId: string): Promise<EncryptionKey[]>;
  count(userId: string): Promise<number>;
  find(userId: string, keyId: string): Promise<(EncryptionKey & { encryptedPrivateKey: string }) | null>;
  /** @returns `null` if the account is gone or has `max` keys, even under concurrent calls */
  insert(key: NewEncryptionKey, max: number): Promise<EncryptionKey | null>;
  makeDefault(userId: string, keyId: string): Promise<EncryptionKey | null>;
  /** The newest remaining key becomes the default. @throws AppError `key_in_use` while mail is encrypted to it */
  delete(userId: string, keyId: string): Promise<boolean>;
}

type KeyDeps = LimitDeps & { encryptionKeys: EncryptionKeyStore };

const KEY_NOT_FOUND = "Encryption key not found";

interface KeyOfUser {
  userId: string;
  keyId: string;
}

/** @throws AppError `not_found`, also for another user's key */
export async function findEncryptionKey(
  { encryptionKeys }: Pick<KeyDeps, "encryptionKeys">,
  { userId, keyId }: KeyOfUser,
): Promise<EncryptionKey & { encryptedPrivateKey: string }> {
  const key = await encryptionKeys.find(userId, keyId);
  if (key === null) throw notFound(KEY_NOT_FOUND);
  return key;
}

export interface NewKeyInput {
  userId: string;
  keyName: string;
  isDefault: boolean;
  key: { masterPassword: string } | { publicKey: string; encryptedPrivateKey: string };
}

type CreateDeps = KeyDeps & { ageWorker: AgeWorker; random: Random };

/** Can't check whether an uploaded pair matches. @throws AppError `invalid`, `rate_limited`, `busy`, `unavailable` */
export async function createEncryptionKey(deps: CreateDeps, input: NewKeyInput): Promise<EncryptionKey> {
  const { userId, keyName, isDefault } = input;
  if ((await deps.encryptionKeys.count(userId)) >= limits.encryptionKeysMax) throw tooMany();
  const createdAt = deps.clock.now();
  const made = await makeOrCheck(deps, input, createdAt);
  const key = { id: deps.random.uuid(), userId, keyName, isDefault, createdAt, ...made };
  const kept = await deps.encryptionKeys.insert(key, limits.encryptionKeysMax);
  if (kept === null) throw tooMany();
  return kept;
}

async function makeOrCheck(deps: CreateDeps, { userId, keyName, key }: NewKeyInput, createdAt: Date) {
  if ("masterPassword" in key) {
    await takeLimit(deps, "master_password", { userId });
    return ageResult<"makeKey">(await deps.ageWorker.run({ name: "makeKey", userId }, { keyName, createdAt, ...key }));
  }
  await takeLimit(deps, "secret_change", { userId });
  return ageResult<"checkKey">(await deps.ageWorker.run({ name: "checkKey", userId }, key));
}

const tooMany = () => new AppError("invalid", { message: encryptionMessages.tooManyKeys });

/** @throws AppError `not_found`, `rate_limited` */
export async function makeKeyDefault(deps: KeyDeps, { userId, keyId }: KeyOfUser): Promise<EncryptionKey> {
  await takeLimit(deps, "secret_change", { userId });
  const key = await deps.encryptionKeys.makeDefault(userId, keyId);
  if (key === null) throw notFound(KEY_NOT_FOUND);
  return key;
}

type DownloadDeps = KeyDeps & { ageWorker: AgeWorker };

/**
 * Decrypts the private key, for API clients; the web client decrypts it in the browser.
 * @throws AppError `not_found`, `master_password_wrong`, `key_not_protected`, `rate_limited`, `busy`, `unavailable`
 */
export async function downloadEncryptionKey(
  deps: DownloadDeps,
  { masterPassword, ...whose }: KeyOfUser & { masterPassword: string },
): Promise<EncryptionKey & { privateKey: string }> {
  const { encryptedPrivateKey, ...key } = await findEncryptionKey(deps, whose);
  await takeLimit(deps, "master_password", { userId: whose.userId });
  const job = { name: "openKey", userId: whose.userId } as const;
  const opened = await deps.ageWorker.run(job, { encryptedPrivateKey, masterPassword });
  return { ...key, ...ageResult<"openKey">(opened) };
}

/** @throws AppError `not_found`, `key_in_use`, `rate_limited` */
export async function deleteEncryptionKey(deps: KeyDeps, { userId, keyId }: KeyOfUser): Promise<void> {
  await takeLimit(deps, "secret_change", { userId });
  if (!(await deps.encryptionKeys.delete(userId, keyId))) throw notFound(KEY_NOT_FOUND);
}

export interface AutoDecryption {
  userId: string;
  keyId: string;
  masterPassword: string;
  encryptedText: string;
}

type DecryptDeps = LimitDeps & { encryptionKeys: EncryptionKeyStore; ageWorker: AgeWorker };

/**
 * For API clients; the web client decrypts in the browser.
 * @returns `null` when the key was made by an older method and has to be created again
 * @throws AppError `not_found`, `master_password_wrong`, `key_not_protected`, `no_matching_key`, `age_damaged`,
 * `not_text`, `rate_limited`, `busy`, `unavailable`
 */
export async function decryptAuto(deps: DecryptDeps, input: AutoDecryption): Promise<string | null> {
  const { userId, masterPassword, encryptedText } = input;
  const { encryptedPrivateKey } = await findEncryptionKey(deps, input);
  await takeLimit(deps, "master_password", { userId });
  const texts = { encryptedPrivateKey, masterPassword, encryptedText };
  const outcome = await deps.ageWorker.run({ name: "decryptWithKey", userId }, texts);
  if (!outcome.done && outcome.failure === "needs_recreation") return null;
  return ageResult<"decryptWithKey">(outcome).text;
}

export interface ManualDecryption {
  userId: string;
  privateKey: string;
  encryptedText: string;
}

/**
 * The private key is never stored.
 * @throws AppError `private_key_invalid`, `no_matching_key`, `age_damaged`, `not_text`, `rate_limited`, `busy`,
 * `unavailable`
 */
export async function decryptManual(
  deps: LimitDeps & { ageWorker: AgeWorker },
  { userId, privateKey, encryptedText }: ManualDecryption,
): Promise<string> {
  await takeLimit(deps, "decrypt_manual", { userId });
  const outcome = await deps.ageWorker.run({ name: "decrypt", userId }, { privateKey, encryptedText });
  return ageResult<"decrypt">(outcome).text;
}
