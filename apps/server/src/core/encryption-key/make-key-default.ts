import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { takeLimit } from "../rate-limit/take-limit.ts";
import type { EncryptionKey } from "./encryption-key.ts";
import { KEY_NOT_FOUND, type KeyOfUser } from "./find-encryption-key.ts";

/** Makes a key the default one of its account. @throws AppError `not_found`, `rate_limited` */
export async function makeKeyDefault(
  deps: Pick<CoreDeps, "encryptionKeys" | "rateLimits" | "limitRules" | "clock">,
  { userId, keyId }: KeyOfUser,
): Promise<EncryptionKey> {
  await takeLimit(deps, "secret_change", { userId });
  const key = await deps.encryptionKeys.makeDefault(userId, keyId);
  if (key === null) throw new AppError("not_found", { message: KEY_NOT_FOUND });
  return key;
}
