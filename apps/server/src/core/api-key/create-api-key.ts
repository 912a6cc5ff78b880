import { apiKeyMessages, type KeyScope, keyScopes, limits } from "@kauke/contract";
import { AppError, fieldError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { takeLimit } from "../rate-limit/take-limit.ts";
import type { ApiKey } from "./api-key.ts";
import { hashApiKey, newApiKeySecret } from "./api-key-secret.ts";

export interface NewApiKey {
  userId: string;
  name: string;
  scopes: readonly KeyScope[];
  expiresAt: Date | null;
}

/**
 * Creates an API key.
 * @returns the key with its secret, of which only a hash is stored
 * @throws AppError `invalid`, `rate_limited`
 */
export async function createApiKey(
  deps: Pick<CoreDeps, "apiKeys" | "rateLimits" | "limitRules" | "clock" | "random">,
  { userId, name, scopes, expiresAt }: NewApiKey,
): Promise<{ key: ApiKey; secret: string }> {
  const createdAt = deps.clock.now();
  refuseExpiry(expiresAt, createdAt);
  await takeLimit(deps, "api_key_create", { userId });
  const secret = newApiKeySecret(deps.random);
  const hash = hashApiKey(secret);
  if (hash === null) throw new Error("a new API key does not have the form of one");
  const given = keyScopes.filter((scope) => scopes.includes(scope));
  const key = { id: deps.random.uuid(), userId, name, scopes: given, expiresAt, lastUsedOn: null, createdAt };
  if (!(await deps.apiKeys.insert({ ...key, hash }, limits.apiKeysMax)))
    throw new AppError("invalid", { message: apiKeyMessages.tooMany });
  return { key, secret };
}

function refuseExpiry(expiresAt: Date | null, now: Date): void {
  if (expiresAt === null) return;
  if (expiresAt <= now) throw fieldError("expiresAt", apiKeyMessages.expiryPast);
  const latest = new Date(now);
  latest.setUTCFullYear(latest.getUTCFullYear() + limits.apiKeyYearsMax);
  if (expiresAt > latest) throw fieldError("expiresAt", apiKeyMessages.expiryFar);
}
