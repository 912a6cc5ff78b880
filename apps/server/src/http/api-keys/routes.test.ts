import { apiKeyMessages, keyScopes, limits } from "@kauke/contract";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startTestServer, type TestServer, Visitor } from "../test/test-server.ts";
import { bearer, newKey } from "./api-keys.testing.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const later = (seconds: number) => new Date(server.clock.now().getTime() + seconds * 1000).toISOString();

describe("API keys", () => {
  it("are shown once, listed without the secret, and authorise calls", async () => {
    const person = await new Visitor(server).register();
    const { key, secret } = await newKey(person, ["account:read"]);
    expect(key).toMatchObject({ name: "browser", scopes: ["account:read"], expiresAt: null, lastUsedOn: null });
    expect(secret).toMatch(/^kauke[A-Za-z0-9]{47}$/);
    const listed = await person.call("listApiKeys");
    expect(listed.body.keys).toEqual([key]);
    expect(JSON.stringify(listed.body)).not.toContain(secret);
    const { body } = await new Visitor(server).call("getSession", { headers: bearer(secret) });
    expect(body.user.id).toBe(person.userId);
  });

  it("have the day of their last use stored, without its time, once a day", async () => {
    const noted: string[] = [];
    const { apiKeys } = server.store;
    const spied = await startTestServer({
      store: server.store,
      apiKeys: {
        ...apiKeys,
        noteUse: (keyId, day) => {
          noted.push(day);
          return apiKeys.noteUse(keyId, day);
        },
      },
    });
    try {
      const person = await new Visitor(spied).register();
      const { secret } = await newKey(person);
      const use = () => new Visitor(spied).call("getSession", { headers: bearer(secret) });
      const lastUse = async () => (await person.call("listApiKeys")).body.keys[0].lastUsedOn;
      await use();
      await vi.waitFor(async () => expect(await lastUse()).toBe("2026-11-21"));
      for (let count = 0; count < 3; count += 1) await use();
      expect(noted).toEqual(["2026-11-21"]);
      spied.clock.advance(24 * 3600);
      await use();
      expect(noted).toEqual(["2026-11-21", "2026-11-22"]);
    } finally {
      await spied.close();
    }
  });

  it("a call succeeds even if its day of use cannot be stored", async () => {
    const failing = { ...server.store.apiKeys, noteUse: async () => Promise.reject(new Error("disk full")) };
    const spied = await startTestServer({ store: server.store, apiKeys: failing });
    try {
      const { secret } = await newKey(await new Visitor(spied).register());
      expect((await new Visitor(spied).call("getSession", { headers: bearer(secret) })).status).toBe(200);
    } finally {
      await spied.close();
    }
  });

  it("stop working when they expire, and when they are revoked", async () => {
    const person = await new Visitor(server).register();
    const [short, long] = [await newKey(person, keyScopes, { expiresAt: later(60) }), await newKey(person)];
    const use = async ({ secret }: { secret: string }) => {
      const { status, body } = await new Visitor(server).call("getSession", { headers: bearer(secret) });
      return status === 200 ? 200 : body.code;
    };
    expect([await use(short), await use(long)]).toEqual([200, 200]);
    server.clock.advance(60);
    expect([await use(short), await use(long)]).toEqual(["key_invalid", 200]);
    expect((await person.call("deleteApiKey", { params: { keyId: long.key.id } })).status).toBe(200);
    expect(await use(long)).toBe("key_invalid");
    expect((await person.call("listApiKeys")).body.keys.map((it: { id: string }) => it.id)).toEqual([short.key.id]);
  });

  it("can be revoked by their owner only", async () => {
    const { key, secret } = await newKey(await new Visitor(server).register());
    const other = await new Visitor(server).register();
    for (const keyId of [key.id, "nonsense"]) {
      const { status, body } = await other.call("deleteApiKey", { params: { keyId } });
      expect([status, body.message]).toEqual([404, "API key not found"]);
    }
    expect((await other.call("listApiKeys")).body.keys).toEqual([]);
    expect((await new Visitor(server).call("getSession", { headers: bearer(secret) })).status).toBe(200);
  });

  it.each([
    ["no name", { name: " " }, { name: [apiKeyMessages.nameRequired] }],
    ["a name too long", { name: "x".repeat(101) }, { name: [apiKeyMessages.nameLong] }],
    ["no scope", { scopes: [] }, { scopes: [apiKeyMessages.scopesRequired] }],
    ["an unknown scope", { scopes: ["aliases:all"] }, { scopes: [apiKeyMessages.scopeUnknown] }],
    ["a day as expiry", { expiresAt: "2027-01-01" }, { expiresAt: [apiKeyMessages.expiryFormat] }],
    ["an expiry in the past", { expiresAt: "2026-11-20T00:00:00Z" }, { expiresAt: [apiKeyMessages.expiryPast] }],
    ["an expiry in eleven years", { expiresAt: "2037-11-22T00:00:00Z" }, { expiresAt: [apiKeyMessages.expiryFar] }],
  ])("with %s are refused", async (_, change, errors) => {
    const person = await new Visitor(server).register();
    const body = { name: "browser", scopes: ["account:read"], ...change };
    expect(await person.call("createApiKey", { body })).toMatchObject({ status: 400, body: { errors } });
  });

  it("expire within ten years; the scopes are listed in a fixed order", async () => {
    const person = await new Visitor(server).register();
    const wanted = ["account:read", "aliases:create"] as const;
    const { key } = await newKey(person, wanted, { expiresAt: "2036-11-20T12:00:00+02:00" });
    expect(key).toMatchObject({ scopes: ["aliases:create", "account:read"], expiresAt: "2036-11-20T10:00:00.000Z" });
  });

  it("are limited in number, and in how many are made within an hour", async () => {
    const person = await new Visitor(server).register();
    const body = { name: "browser", scopes: ["account:read"] };
    for (let count = 0; count < 20; count += 1) await newKey(person);
    expect((await person.call("createApiKey", { body })).status).toBe(429);
    const unlimited = await startTestServer({ store: server.store, config: { limits: "off" } });
    try {
      const many = await new Visitor(unlimited).register();
      for (let count = 0; count < limits.apiKeysMax; count += 1) await newKey(many);
      const { status, body: refused } = await many.call("createApiKey", { body });
      expect([status, refused.message]).toEqual([400, apiKeyMessages.tooMany]);
    } finally {
      await unlimited.close();
    }
  });

  it("share the limit of concurrent calls of their account", async () => {
    let running = 0;
    let most = 0;
    const { users } = server.store;
    const slow = async <T>(work: () => Promise<T>) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 20));
      running -= 1;
      return work();
    };
    const spied = await startTestServer({
      store: server.store,
      users: { ...users, stats: (id) => slow(() => users.stats(id)) },
    });
    try {
      const person = await new Visitor(spied).register();
      const { secret } = await newKey(person);
      const calls = Array.from({ length: 12 }, (_, index) =>
        index % 2 === 0
          ? person.call("getAccountStats")
          : new Visitor(spied).call("getAccountStats", { headers: bearer(secret) }),
      );
      for (const { status } of await Promise.all(calls)) expect(status).toBe(200);
      expect(most).toBe(4);
    } finally {
      await spied.close();
    }
  });
});
