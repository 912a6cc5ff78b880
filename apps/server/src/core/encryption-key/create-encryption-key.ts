import { encryptionMessages, limits } from "@kauke/contract";
import { ageResult } from "../age-worker/age-result.ts";
import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { takeLimit } from "../rate-limit/take-limit.ts";
import type { EncryptionKey } from "./encryption-key.ts";

export interface NewKeyWish {
  userId: string;
  keyName: string;
  isDefault: boolean;
  /** Made by the worker under this password, or made elsewhere and only kept here. */
  key: { masterPassword: string } | { publicKey: string; encryptedPrivateKey: string };
}

type CreateDeps = Pick<CoreDeps, "encryptionKeys" | "ageWorker" | "rateLimits" | "limitRules" | "clock" | "random">;

/**
 * Keeps a key. What was made elsewhere is looked at, not believed: something can be encrypted to the public key, and the
 * private one is an age file under a password alone. Whether the two belong together only the password's owner can tell.
 * @throws AppError `invalid`, `rate_limited`, `busy`, `unavailable`
 */
export async function createEncryptionKey(deps: CreateDeps, wish: NewKeyWish): Promise<EncryptionKey> {
  const { userId, keyName, isDefault } = wish;
  if ((await deps.encryptionKeys.count(userId)) >= limits.encryptionKeysMax) throw tooMany();
  const createdAt = deps.clock.now();
  const made = await makeOrCheck(deps, wish, createdAt);
  const key = { id: deps.random.uuid(), userId, keyName, isDefault, createdAt, ...made };
  const kept = await deps.encryptionKeys.insert(key, limits.encryptionKeysMax);
  if (kept === null) throw tooMany();
  return kept;
}

async function makeOrCheck(deps: CreateDeps, { userId, keyName, key }: NewKeyWish, createdAt: Date) {
  if ("masterPassword" in key) {
    await takeLimit(deps, "master_password", { userId });
    return ageResult<"makeKey">(await deps.ageWorker.run({ name: "makeKey", userId }, { keyName, createdAt, ...key }));
  }
  await takeLimit(deps, "secret_change", { userId });
  return ageResult<"checkKey">(await deps.ageWorker.run({ name: "checkKey", userId }, key));
}

const tooMany = () => new AppError("invalid", { message: encryptionMessages.tooManyKeys });
