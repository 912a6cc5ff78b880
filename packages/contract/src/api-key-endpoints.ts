/** Endpoints for API keys; part of the table in `endpoints.ts`. */
import * as z from "zod";
import { apiKeyPattern, apiKeyWire, createApiKeyBody } from "./api-keys.ts";
import type { EndpointShapes } from "./endpoint.ts";

export const apiKeyEndpoints = {
  listApiKeys: {
    summary: "API keys of the account, newest first, without the keys themselves",
    status: 200,
    answer: z.object({ keys: z.array(apiKeyWire) }),
  },
  createApiKey: {
    summary: "Create an API key; `secret` is the key, which no other call shows",
    body: createApiKeyBody,
    status: 201,
    errors: [429],
    answer: z.object({ key: apiKeyWire, secret: z.string().regex(apiKeyPattern) }),
  },
  deleteApiKey: {
    summary: "Revoke an API key, which stops working at once",
    params: z.object({ keyId: z.string() }),
    status: 200,
    errors: [429],
    answer: z.object({ message: z.string() }),
  },
} satisfies Record<string, EndpointShapes>;
