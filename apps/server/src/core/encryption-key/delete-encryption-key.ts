import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { takeLimit } from "../rate-limit/take-limit.ts";
import { KEY_NOT_FOUND, type KeyOfUser } from "./find-encryption-key.ts";

/** Deletes a key. @throws AppError `not_found`, `key_in_use`, `rate_limited` */
export async function deleteEncryptionKey(
  deps: Pick<CoreDeps, "encryptionKeys" | "rateLimits" | "limitRules" | "clock">,
  { userId, keyId }: KeyOfUser,
): Promise<void> {
  await takeLimit(deps, "secret_change", { userId });
  if (!(await deps.encryptionKeys.delete(userId, keyId))) throw new AppError("not_found", { message: KEY_NOT_FOUND });
}
