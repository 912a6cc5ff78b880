import type { KeyScope } from "@kauke/contract";
import type { CoreDeps } from "../core-deps.ts";
import { hashApiKey } from "./api-key-secret.ts";

export interface KeyCaller {
  keyId: string;
  userId: string;
  scopes: readonly KeyScope[];
}

/**
 * Finds the account that an API key makes calls for. The day of use is stored in the background.
 * @returns `null` for a key that is malformed, unknown, revoked or expired
 */
export async function checkApiKey(
  { apiKeys, clock }: Pick<CoreDeps, "apiKeys" | "clock">,
  secret: string,
): Promise<KeyCaller | null> {
  const hash = hashApiKey(secret);
  if (hash === null) return null;
  const key = await apiKeys.find(hash);
  const now = clock.now();
  if (key === null || (key.expiresAt !== null && key.expiresAt <= now)) return null;
  const today = now.toISOString().slice(0, 10);
  // A failure to store the day of use is ignored: the next use of the key stores it.
  if (key.lastUsedOn !== today) void apiKeys.noteUse(key.id, today).catch(() => {});
  return { keyId: key.id, userId: key.userId, scopes: key.scopes };
}
