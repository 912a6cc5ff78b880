import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { apiKeyMessages, apiKeyPattern, type KeyScope, keyScopes, limits } from "@kauke/contract";
import { type Clock, type Random, randomText } from "../runtime/ports.ts";
import { AppError, fieldError, notFound } from "./app-error.ts";
import { type LimitDeps, takeLimit } from "./take-limit.ts";

export type CallerKind = "session" | "key";

export interface ApiKey {
  id: string;
  userId: string;
  name: string;
  scopes: readonly KeyScope[];
  expiresAt: Date | null;
  /** Day of the last use (UTC), e.g. `2026-03-01`; `null` if the key was never used. */
  lastUsedOn: string | null;
  createdAt: Date;
}

export type FoundApiKey = Pick<ApiKey, "id" | "userId" | "scopes" | "expiresAt" | "lastUsedOn">;

export interface ApiKeyStore {
  listForUser(userId: string): Promise<ApiKey[]>;
  /** @returns false when the account no longer exists or already has `max` keys, even under concurrent calls */
  insert(key: ApiKey & { hash: Buffer }, max: number): Promise<boolean>;
  /** Not cached, so that every process refuses a revoked key at once. */
  find(hash: Buffer): Promise<FoundApiKey | null>;
  noteUse(keyId: string, day: string): Promise<void>;
  deleteById(userId: string, keyId: string): Promise<boolean>;
  deleteForUser(userId: string): Promise<number>;
  deleteExpired(before: Date): Promise<number>;
}

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const PREFIX = "kauke";
const RANDOM_LENGTH = 41;
const CHECKSUM_LENGTH = 6;
/** `kauke`, 41 random characters (244 bits) and a checksum of 6, by which secret scanners recognise a key. */
export function newApiKeySecret(random: Random): string {
  const text = PREFIX + randomText(random, ALPHABET, RANDOM_LENGTH);
  return text + checksumOf(text);
}

/** SHA-256 of the key; `null` for a text without the form or checksum of an API key. */
export function hashApiKey(text: string): Buffer | null {
  if (!apiKeyPattern.test(text)) return null;
  const start = text.slice(0, -CHECKSUM_LENGTH);
  if (checksumOf(start) !== text.slice(-CHECKSUM_LENGTH)) return null;
  return createHash("sha256").update(text, "latin1").digest();
}

/** CRC-32 (ISO 3309) in base 62, most significant digit first. */
function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let index = 0; index < CHECKSUM_LENGTH; index += 1) {
    digits = ALPHABET.charAt(rest % ALPHABET.length) + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
}

export interface NewApiKey {
  userId: string;
  name: string;
  scopes: readonly KeyScope[];
  expiresAt: Date | null;
}

/** @returns the key with its secret, of which only a hash is stored @throws AppError `invalid`, `rate_limited` */
export async function createApiKey(
  deps: LimitDeps & { apiKeys: ApiKeyStore; random: Random },
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

export interface KeyCaller {
  keyId: string;
  userId: string;
  scopes: readonly KeyScope[];
}

/** @returns `null` for a key that is malformed, unknown, revoked or expired */
export async function checkApiKey(
  { apiKeys, clock }: { apiKeys: ApiKeyStore; clock: Clock },
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

/** @throws AppError `not_found`, `rate_limited` */
export async function deleteApiKey(
  deps: LimitDeps & { apiKeys: ApiKeyStore },
  { userId, keyId }: { userId: string; keyId: string },
): Promise<void> {
  await takeLimit(deps, "secret_change", { userId });
  if (!(await deps.apiKeys.deleteById(userId, keyId))) throw notFound("API key not found");
}
