import { apiKeyMessages, createApiKeyBody, keyScopes } from "@kauke/contract";
import { describe, expect, test } from "vitest";
import {
  emptyApiKey,
  expiryDays,
  expiryLabel,
  newApiKeyBody,
  newApiKeyErrors,
  qrText,
  scopeTexts,
  toggleScope,
} from "./new-api-key.ts";

const now = new Date("2026-03-01T10:00:00.000Z");

describe("the form for a new API key", () => {
  test("a new API key needs a name and a scope", () => {
    expect(newApiKeyErrors({ ...emptyApiKey, name: " ", scopes: [] })).toEqual({
      name: apiKeyMessages.nameRequired,
      scopes: apiKeyMessages.scopesRequired,
    });
    expect(newApiKeyErrors({ ...emptyApiKey, name: "x".repeat(101) })).toEqual({ name: apiKeyMessages.nameLong });
    expect(newApiKeyErrors({ ...emptyApiKey, name: "Bitwarden" })).toEqual({});
  });

  test.each(expiryDays)("makes a valid API request with an expiry of %s days", (days) => {
    const body = newApiKeyBody({ name: " Bitwarden ", scopes: ["aliases:create"], days }, now);
    expect(createApiKeyBody.parse(body)).toEqual(body);
    expect(body.name).toBe("Bitwarden");
    const left = body.expiresAt === null ? null : (Date.parse(body.expiresAt ?? "") - now.getTime()) / 86_400_000;
    expect(left).toBe(days);
    expect(expiryLabel(days)).not.toBe("");
  });

  test("toggled scopes stay in the contract's order", () => {
    expect(toggleScope(["aliases:write"], "aliases:create")).toEqual(["aliases:create", "aliases:write"]);
    expect(toggleScope(["aliases:create", "aliases:write"], "aliases:create")).toEqual(["aliases:write"]);
  });

  test("every scope has an explanation", () => expect(Object.keys(scopeTexts)).toEqual([...keyScopes]));
});

test("the QR code contains the server's address, a bar, and the key", () => {
  expect(qrText("https://kauke.example", "kaukeX")).toBe("https://kauke.example|kaukeX");
});
