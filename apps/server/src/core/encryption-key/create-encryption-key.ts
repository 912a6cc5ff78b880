import { encryptionMessages, limits } from "@kauke/contract";
import { ageResult } from "../age-worker.ts";
import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { takeLimit } from "../rate-limit/take-limit.ts";
import type { EncryptionKey } from "./encryption-key.ts";

export interface NewKeyInput {
  userId: string;
  keyName: string;
  isDefault: boolean;
  /** Password to create the key under, or a key pair that was created elsewhere. */
  key: { masterPassword: string } | { publicKey: string; encryptedPrivateKey: string };
}

type CreateDeps = Pick<CoreDeps, "encryptionKeys" | "ageWorker" | "rateLimits" | "limitRules" | "clock" | "random">;

/**
 * Stores an encryption key. A key pair created elsewhere is checked: the public key can be encrypted to, and the
 * private key is an age file protected by a password alone. Whether the two match cannot be checked without the
 * password.
 * @throws AppError `invalid`, `rate_limited`, `busy`, `unavailable`
 */
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
