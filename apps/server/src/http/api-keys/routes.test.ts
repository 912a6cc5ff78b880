import { type KeyScope, keyScopes } from "@kauke/contract";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startTestServer, type TestServer, Visitor } from "../test/test-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

async function newKey(person: Visitor, scopes: readonly KeyScope[] = keyScopes, more: object = {}) {
  const { status, body } = await person.call("createApiKey", { body: { name: "browser", scopes, ...more } });
  expect(status, JSON.stringify(body)).toBe(201);
  return body as { key: { id: string }; secret: string };
}

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

describe("API keys", () => {
  it("are shown once, listed without the key, and make calls", async () => {
    const person = await new Visitor(server).register();
    const { key, secret } = await newKey(person);
    expect(secret).toMatch(/^kauke[A-Za-z0-9]{47}$/);
    const listed = await person.call("listApiKeys");
    expect(listed.body.keys).toEqual([key]);
    expect(JSON.stringify(listed.body)).not.toContain(secret);
    const program = new Visitor(server);
    const { body } = await program.call("getSession", { headers: bearer(secret) });
    expect(body.user.id).toBe(person.userId);
    await vi.waitFor(async () => {
      expect((await person.call("listApiKeys")).body.keys[0].lastUsedOn).toBe("2026-11-21");
    });
  });
});
