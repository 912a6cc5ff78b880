import { ageResult } from "../age-worker.ts";
import type { CoreDeps } from "../core-deps.ts";
import { takeLimit } from "../rate-limit/take-limit.ts";

export interface ManualDecryption {
  userId: string;
  /** Private key: a single age identity, or the text of a whole identity file. */
  privateKey: string;
  /** Armored age file to decrypt. */
  encryptedText: string;
}

/**
 * Decrypts with a private key that is sent along and never stored.
 * @throws AppError `private_key_invalid`, `no_matching_key`, `age_damaged`, `not_text`, `rate_limited`, `busy`,
 * `unavailable`
 */
export async function decryptManual(
  deps: Pick<CoreDeps, "ageWorker" | "rateLimits" | "limitRules" | "clock">,
  { userId, privateKey, encryptedText }: ManualDecryption,
): Promise<string> {
  await takeLimit(deps, "decrypt_manual", { userId });
  const outcome = await deps.ageWorker.run({ name: "decrypt", userId }, { privateKey, encryptedText });
  return ageResult<"decrypt">(outcome).text;
}
