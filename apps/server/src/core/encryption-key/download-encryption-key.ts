import { ageResult } from "../age-worker.ts";
import type { CoreDeps } from "../core-deps.ts";
import { takeLimit } from "../rate-limit/take-limit.ts";
import type { EncryptionKey } from "./encryption-key.ts";
import { findEncryptionKey, type KeyOfUser } from "./find-encryption-key.ts";

type DownloadDeps = Pick<CoreDeps, "encryptionKeys" | "ageWorker" | "rateLimits" | "limitRules" | "clock">;

/**
 * Decrypts the stored private key. For API clients; the web client decrypts it in the browser.
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
