import { randomBytes, randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { aSession } from "./rows.testing.ts";
import { insertAlias, insertUser, onEachDatabase } from "./stores.testing.ts";

describe("retention", () => {
  onEachDatabase((it_) => {
    it("maintenance forgets what is past its time, and nothing younger", async () => {
      const { store, clock } = it_;
      const { id: userId } = await insertUser(store);
      const alias = await insertAlias(store, userId);
      await store.aliases.delete(userId, alias.id);
      const tokenHash = randomBytes(32);
      const now = clock.now();
      await store.loginSessions.insert(aSession(userId, { tokenHash, createdAt: now, lastSeenAt: now }));
      await store.rateLimits.take({ action: "x", max: 1, windowSeconds: 60 }, { userId }, now);
      const orphan = randomUUID();
      await store.bodies.put(orphan, [Buffer.from("x")]);
      const notice = { id: randomUUID(), userId, kind: "delivery_failed" as const, aliasId: null, text: "x" };
      await store.notices.insert({ ...notice, createdAt: now });
      const nothing = {
        loginSessions: 0,
        rateLimits: 0,
        notices: 0,
        emailJobs: 0,
        releasedAddresses: 0,
        oneTimeTokens: 0,
      };
      expect(await store.maintenance()).toEqual({ ...nothing, orphanedBodies: 0 });
      clock.advance(3_600_000);
      expect(await store.maintenance()).toEqual({ ...nothing, loginSessions: 1, orphanedBodies: 1 });
      clock.advance(30 * 86_400_000);
      expect(await store.maintenance()).toMatchObject({ rateLimits: 1, releasedAddresses: 1, notices: 0 });
      clock.advance(60 * 86_400_000);
      expect(await store.maintenance()).toMatchObject({ notices: 1 });
    });
  });
});
