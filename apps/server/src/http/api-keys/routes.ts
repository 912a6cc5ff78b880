import type { ApiKeyWire } from "@kauke/contract";
import { type ApiKey, createApiKey, deleteApiKey } from "../../core/api-key.ts";
import type { CoreDeps } from "../../core/core-deps.ts";
import type { Handlers } from "../handler.ts";

export function apiKeyHandlers(deps: CoreDeps) {
  return {
    async listApiKeys({ userId }) {
      return { keys: (await deps.apiKeys.listForUser(userId)).map(apiKeyToWire) };
    },
    async createApiKey({ userId, body: { name, scopes, expiresAt = null } }) {
      const wanted = { userId, name, scopes, expiresAt: expiresAt === null ? null : new Date(expiresAt) };
      const { key, secret } = await createApiKey(deps, wanted);
      return { key: apiKeyToWire(key), secret };
    },
    async deleteApiKey({ userId, params }) {
      await deleteApiKey(deps, { userId, ...params });
      return { message: "API key deleted" };
    },
  } satisfies Partial<Handlers>;
}

function apiKeyToWire({ id, name, scopes, expiresAt, lastUsedOn, createdAt }: ApiKey): ApiKeyWire {
  return {
    id,
    name,
    scopes: [...scopes],
    expiresAt: expiresAt?.toISOString() ?? null,
    lastUsedOn,
    createdAt: createdAt.toISOString(),
  };
}
