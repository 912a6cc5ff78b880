import { randomBytes, randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { aSession } from "../rows.testing.ts";
import { insertAlias, insertUser, onEachDatabase } from "../stores.testing.ts";

const at = (iso: string) => new Date(iso);

describe("sessions, notices and counters", () => {
  onEachDatabase((fixture) => {
    it("a session is found by its hash, touched, and deleted", async () => {
      const { store } = fixture;
      const { id: userId } = await insertUser(store);
      const tokenHash = randomBytes(32);
      const { device, ...session } = aSession(userId, { tokenHash, createdAt: at("2026-01-01T00:00:00Z") });
      await store.loginSessions.insert({ ...session, device });
      const lastSeenAt = at("2026-01-01T00:05:00Z");
      await store.loginSessions.touch(tokenHash, lastSeenAt);
      expect(await store.loginSessions.find(tokenHash)).toEqual({ ...session, lastSeenAt });
      await store.loginSessions.delete(tokenHash);
      expect(await store.loginSessions.find(tokenHash)).toBeNull();
    });

    it("a session that another process ended, alone or with its account, is unknown at the next look-up", async () => {
      const { store, severalProcesses } = fixture;
      const other = severalProcesses ? await fixture.openSecond() : store;
      const endings = [
        ({ tokenHash }: { tokenHash: Buffer }) => other.loginSessions.delete(tokenHash),
        ({ userId }: { userId: string }) => other.loginSessions.deleteForUser(userId),
        ({ userId }: { userId: string }) => other.users.delete(userId),
      ];
      for (const end of endings) {
        const session = aSession((await insertUser(store)).id);
        await store.loginSessions.insert(session);
        for (let time = 0; time < 10; time += 1)
          expect(await store.loginSessions.find(session.tokenHash)).toMatchObject({ userId: session.userId });
        await end(session);
        expect(await store.loginSessions.find(session.tokenHash)).toBeNull();
      }
      if (severalProcesses) await other.close();
    });

    it("a session for an account deleted meanwhile is refused with the error of a wrong password", async () => {
      const { store } = fixture;
      const { id: userId } = await insertUser(store);
      await store.users.delete(userId);
      await expect(store.loginSessions.insert(aSession(userId))).rejects.toMatchObject({ code: "credentials_wrong" });
    });

    it("idle and old sessions are deleted, others are not", async () => {
      const { store } = fixture;
      const { id: userId } = await insertUser(store);
      const make = async (createdAt: Date, lastSeenAt: Date) => {
        const tokenHash = randomBytes(32);
        await store.loginSessions.insert(aSession(userId, { tokenHash, createdAt, lastSeenAt }));
        return tokenHash;
      };
      const idle = await make(at("2025-01-02T00:00:00Z"), at("2025-01-02T00:00:00Z"));
      const old = await make(at("2025-01-01T00:00:00Z"), at("2025-01-02T12:00:00Z"));
      const fresh = await make(at("2025-01-02T00:00:00Z"), at("2025-01-02T12:00:00Z"));
      expect(await store.loginSessions.deleteExpired(at("2025-01-02T11:30:00Z"), at("2025-01-01T12:00:00Z"))).toBe(2);
      const found = await Promise.all([idle, old, fresh].map((hash) => store.loginSessions.find(hash)));
      expect(found.map((session) => session !== null)).toEqual([false, false, true]);
      await store.loginSessions.deleteForUser(userId);
      expect(await store.loginSessions.find(fresh)).toBeNull();
    });

    it("an unfinished sign-in is returned once, to the first caller, and not after its expiry", async () => {
      const { store, clock } = fixture;
      const secrets = { state: "state", nonce: "nonce", verifier: "verifier", redirectUri: "https://kauke.example/" };
      const keep = async (seconds: number) => {
        const hash = randomBytes(32);
        const expiresAt = new Date(clock.now().getTime() + seconds * 1000);
        await store.signInFlows.keep(hash, secrets, { expiresAt, clientAddress: "192.0.2.7" });
        return hash;
      };
      const [first, late] = [await keep(600), await keep(0)];
      const taken = await Promise.all([1, 2, 3].map(() => store.signInFlows.take(first)));
      expect(taken.filter((it) => it !== null)).toEqual([secrets]);
      expect(await store.signInFlows.take(late)).toBeNull();
      expect(await store.signInFlows.take(randomBytes(32))).toBeNull();
      expect((await store.maintenance()).oneTimeTokens).toBeGreaterThan(0);
    });

    it("sessions are listed to their owner with their device, newest first, and can be ended by id or all but one", async () => {
      const { store } = fixture;
      const [owner, stranger] = [await insertUser(store), await insertUser(store)];
      const sessions = [3, 2, 1].map((hour) =>
        aSession(owner.id, {
          device: hour === 2 ? null : "Safari on iPhone",
          createdAt: at(`2026-01-01T0${hour}:00:00Z`),
        }),
      );
      const foreign = aSession(stranger.id);
      for (const session of [...sessions, foreign]) await store.loginSessions.insert(session);
      expect(await store.loginSessions.listForUser(owner.id)).toEqual(sessions);
      const [newest = foreign, second = foreign, oldest = foreign] = sessions;
      expect(await store.loginSessions.deleteById(owner.id, foreign.id)).toBe(false);
      expect(await store.loginSessions.deleteById(owner.id, newest.id)).toBe(true);
      expect(await store.loginSessions.deleteForUser(owner.id, second.tokenHash)).toBe(1);
      expect(await store.loginSessions.listForUser(owner.id)).toEqual([second]);
      expect(await store.loginSessions.find(oldest.tokenHash)).toBeNull();
      expect(await store.loginSessions.find(foreign.tokenHash)).not.toBeNull();
    });

    it("notices are listed to their owner, newest first, and deleted with their alias", async () => {
      const { store } = fixture;
      const [owner, stranger] = [await insertUser(store), await insertUser(store)];
      const alias = await insertAlias(store, owner.id);
      const notice = (createdAt: Date, aliasId: string | null) => ({
        id: randomUUID(),
        userId: owner.id,
        kind: "delivery_failed" as const,
        aliasId,
        text: "Mail could not be delivered.",
        createdAt,
      });
      const old = notice(at("2026-02-01T00:00:00Z"), null);
      const recent = notice(at("2026-02-02T00:00:00Z"), alias.id);
      for (const it of [old, recent]) await store.notices.insert(it);
      expect(await store.notices.listForUser(owner.id)).toEqual([recent, old]);
      expect(await store.notices.delete(stranger.id, old.id)).toBe(false);
      await store.aliases.delete(owner.id, alias.id);
      expect(await store.notices.listForUser(owner.id)).toEqual([old]);
      expect(await store.notices.delete(owner.id, old.id)).toBe(true);
    });

    it("a counter adds up, also with concurrent additions", async () => {
      const { store } = fixture;
      const name = randomUUID();
      expect(await store.counters.read(name)).toBe(0);
      await Promise.all(Array.from({ length: 20 }, () => store.counters.add(name)));
      await store.counters.add(name, 5_000_000_000);
      expect(await store.counters.read(name)).toBe(5_000_000_020);
    });
  });
});
