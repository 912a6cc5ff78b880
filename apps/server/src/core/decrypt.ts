import { ageResult } from "./age-worker.ts";
import type { CoreDeps } from "./core-deps.ts";
import { findEncryptionKey } from "./encryption-key.ts";
import { takeLimit } from "./take-limit.ts";

export interface AutoDecryption {
  userId: string;
  keyId: string;
  masterPassword: string;
  /** Armored age file to decrypt. */
  encryptedText: string;
}

type DecryptDeps = Pick<CoreDeps, "encryptionKeys" | "ageWorker" | "rateLimits" | "limitRules" | "clock">;

/**
 * Decrypts with a stored key. For API clients; the web client decrypts in the browser.
 * @returns the plain text; `null` when the key was made by an older method and has to be created again
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
