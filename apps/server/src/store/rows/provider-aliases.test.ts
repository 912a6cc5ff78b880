import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type KnownRecord, nothingKnown } from "../../core/forwarding/forwarding-provider.ts";
import type { ClaimedAlias, ClaimOutcome } from "../../core/forwarding/provider-alias.ts";
import { changeSignals } from "../change-signals.ts";
import { allRows, onEachContext, type TestContext } from "../context.testing.ts";
import { rowStores } from "../row-stores.ts";
import { anAlias, aUser, mailboxDestination } from "../rows.testing.ts";
import { releasedAddresses } from "./accounts/released-addresses.ts";
import { makeAllDue, makeFutureAliasesDue, providerAliasStore, wantAtProvider } from "./provider-aliases.ts";

const leaseMs = 90_000;
const HOUR_MS = 3_600_000;
const known: KnownRecord = { providerId: "0123", address: "a@kauke.test", mark: "m", passwordMark: null };
const done: ClaimOutcome = { kind: "done", held: null, known, recheckAt: null };

onEachContext((fixture) => {
  /** Open while a test does not hold the outbox back. */
  let gate: Promise<void> = Promise.resolve();
  let context: TestContext;

  beforeEach(async () => {
    const want: Parameters<typeof changeSignals>[0]["want"] = async (trx, ids) => {
      await wantAtProvider(trx, ids, fixture.context.clock.now());
      await gate;
    };
    context = { ...fixture.context, signals: changeSignals({ notify: false, want }) };
    await context.db.deleteFrom("provider_alias").execute();
  });
  afterEach(() => {
    gate = Promise.resolve();
  });

  const stores = () => rowStores(context, { released: releasedAddresses(context), forgetBodies: async () => {} });
  const outbox = () => stores().providerAliases;
  const later = (ms: number) => new Date(context.clock.now().getTime() + ms);
  const rowOf = (aliasId: string) =>
    context.db.selectFrom("provider_alias").selectAll().where("alias_id", "=", aliasId).executeTakeFirst();

  async function aPerson(): Promise<string> {
    const user = aUser();
    await stores().users.insert(user);
    return user.id;
  }

  async function anOwnAlias(userId?: string) {
    const alias = anAlias(userId ?? (await aPerson()));
    await stores().aliases.insert(alias);
    return { userId: alias.userId, aliasId: alias.id };
  }

  async function claimOne(): Promise<ClaimedAlias> {
    const [claimed, ...others] = await outbox().claim({ most: 4, leaseMs });
    if (claimed === undefined || others.length > 0) throw new Error("not one alias was due");
    return claimed;
  }

  const rename = ({ userId, aliasId }: { userId: string; aliasId: string }) =>
    stores().aliases.update(userId, aliasId, () => ({ name: `n${randomBytes(6).toString("hex")}` }));

  /** Inserts rows of an account whose aliases are gone, due after `dueMs`. */
  async function plantRows(count: number, { userId = randomUUID(), dueMs = 0 } = {}): Promise<string> {
    const [now, dueAt] = [context.clock.now(), later(dueMs)];
    await sql`INSERT INTO provider_alias (alias_id, user_id, waiting_since, due_at)
      SELECT gen_random_uuid(), ${userId}::uuid, ${now}::timestamptz, ${dueAt}::timestamptz
      FROM generate_series(1, ${count}::integer)`.execute(context.db);
    return userId;
  }

  describe("an alias at the provider", () => {
    it("is claimed by one worker at a time, with what is known of its copy", async () => {
      const one = await anOwnAlias();
      const claimed = await claimOne();
      expect(claimed).toMatchObject({ ...one, known: nothingKnown, tries: 0, isRecheck: false, wasInterrupted: false });
      expect(await outbox().claim({ most: 4, leaseMs })).toEqual([]);
      expect(await outbox().note(claimed, { ...nothingKnown, address: "a@kauke.test" })).toBe(true);
      await outbox().release(claimed);
      expect((await claimOne()).known.address).toBe("a@kauke.test");
    });

    it("in the hand of a process that ended is claimed again after its lease, and the former claim does nothing more", async () => {
      const one = await anOwnAlias();
      const lost = await claimOne();
      context.clock.advance(leaseMs);
      const claimed = await claimOne();
      expect(claimed).toMatchObject({ aliasId: one.aliasId, wasInterrupted: true });
      expect(await outbox().note(lost, known)).toBe(false);
      await outbox().settle(lost, done);
      await outbox().release(lost);
      expect(await rowOf(one.aliasId)).toMatchObject({ lease: claimed.lease, done: 0 });
      await outbox().release(claimed);
      expect((await claimOne()).wasInterrupted).toBe(true);
      await outbox().endLeases();
      expect(await claimOne()).toMatchObject({ aliasId: one.aliasId, wasInterrupted: true });
    });

    it("in step is not claimed; its id there is shown on the alias, and routes are dropped once", async () => {
      const dropped: unknown[] = [];
      const one = await anOwnAlias();
      context.signals.onRouteChange((change) => void dropped.push(change));
      await outbox().settle(await claimOne(), done);
      expect(await outbox().claim({ most: 4, leaseMs })).toEqual([]);
      expect((await stores().aliases.find(one.userId, one.aliasId))?.providerId).toBe("0123");
      expect(dropped).toEqual([{ aliasId: one.aliasId }]);
      await rename(one);
      dropped.length = 0;
      await outbox().settle(await claimOne(), done);
      expect(dropped).toEqual([]);
    });

    it("changed while a worker has it in hand is due at once after that, whether that failed or not", async () => {
      const one = await anOwnAlias();
      const first = await claimOne();
      context.clock.advance(1000);
      await rename(one);
      expect(await outbox().claim({ most: 4, leaseMs })).toEqual([]);
      await outbox().settle(first, {
        kind: "failed",
        problem: "refused",
        known,
        recheckAt: null,
        notBefore: later(HOUR_MS),
      });
      const second = await claimOne();
      expect(second).toMatchObject({ version: 2, tries: 0, known });
      const changedAt = context.clock.now();
      await rename(one);
      context.clock.advance(1000);
      await outbox().settle(second, done);
      expect(await outbox().figures()).toMatchObject({ waiting: 1, oldestWaitingAt: changedAt });
      expect(await claimOne()).toMatchObject({ version: 3 });
    });

    it("that failed waits until its time, with one more try; a change makes it due at once", async () => {
      const one = await anOwnAlias();
      const failed: ClaimOutcome = {
        kind: "failed",
        problem: "busy",
        known,
        recheckAt: null,
        notBefore: later(60_000),
      };
      await outbox().settle(await claimOne(), failed);
      context.clock.advance(59_999);
      expect(await outbox().claim({ most: 4, leaseMs })).toEqual([]);
      context.clock.advance(1);
      const again = await claimOne();
      expect(again.tries).toBe(1);
      await outbox().settle(again, { ...failed, notBefore: later(HOUR_MS) });
      await rename(one);
      expect((await claimOne()).tries).toBe(0);
    });

    it("after an uncertain call is looked at once more, even if it is in step or its next try is later", async () => {
      const one = await anOwnAlias();
      await outbox().settle(await claimOne(), { ...done, recheckAt: later(60_000) });
      expect(await rowOf(one.aliasId)).toMatchObject({ wanted: 1, done: 1 });
      await rename(one);
      const changed = await claimOne();
      expect(changed.isRecheck).toBe(false);
      await outbox().settle(changed, {
        kind: "failed",
        problem: "busy",
        known,
        recheckAt: null,
        notBefore: later(HOUR_MS),
      });
      context.clock.advance(60_000);
      const recheck = await claimOne();
      expect(recheck.isRecheck).toBe(true);
      await outbox().settle(recheck, done);
      expect(await rowOf(one.aliasId)).toMatchObject({ recheck_at: null, due_at: null });
    });

    it("that is deleted keeps its row until the provider has deleted its copy, and is certain of it", async () => {
      const one = await anOwnAlias();
      await outbox().settle(await claimOne(), done);
      await stores().aliases.delete(one.userId, one.aliasId);
      const refused: ClaimOutcome = {
        kind: "failed",
        problem: "refused",
        known,
        recheckAt: null,
        notBefore: later(HOUR_MS),
      };
      await outbox().settle(await claimOne(), refused);
      context.clock.advance(5 * 24 * HOUR_MS);
      expect(await outbox().forgetGone(context.clock.now())).toBe(0);
      const gone = { kind: "gone" as const, known: nothingKnown };
      await outbox().settle(await claimOne(), { ...gone, recheckAt: later(60_000) });
      expect(await rowOf(one.aliasId)).toMatchObject({ done: 2, wanted: 2 });
      context.clock.advance(60_000);
      await outbox().settle(await claimOne(), { ...gone, recheckAt: null });
      expect(await rowOf(one.aliasId)).toBeUndefined();
    });

    it("with a document that can't be opened is claimed with nothing known", async () => {
      const one = await anOwnAlias();
      const sealed = randomBytes(60);
      await context.db.updateTable("provider_alias").set({ sealed }).where("alias_id", "=", one.aliasId).execute();
      expect((await claimOne()).known).toEqual(nothingKnown);
    });

    it("is due once the provider returns, unless its alias was never made", async () => {
      const one = await anOwnAlias();
      await outbox().settle(await claimOne(), done);
      const foreign = { aliasId: randomUUID(), userId: one.userId, known };
      await stores().providerInventory.foreknow(foreign);
      for (let starts = 0; starts < 2; starts++) await makeAllDue(context.db, context.clock.now());
      expect(await claimOne()).toMatchObject({ aliasId: one.aliasId, version: 2, known });
      expect(await rowOf(foreign.aliasId)).toMatchObject({ due_at: null });
    });

    it("is due at once after the clock was set back", async () => {
      await plantRows(1, { dueMs: 24 * HOUR_MS });
      await makeFutureAliasesDue(context.db, context.clock.now());
      await claimOne();
    });
  });

  describe("of an account that is deleted", () => {
    it("only ids, codes and a sealed id, address and digests stay until the provider has deleted its copies; nothing after", async () => {
      const userId = await aPerson();
      const aliases = [await anOwnAlias(userId), await anOwnAlias(userId)];
      for (const claimed of await outbox().claim({ most: 4, leaseMs })) await outbox().settle(claimed, done);
      await stores().users.delete(userId);
      const { provider_alias: rows, ...others } = await allRows(context);
      expect(JSON.stringify(others)).not.toContain(userId);
      expect(rows).toHaveLength(2);
      const claimed = await outbox().claim({ most: 4, leaseMs });
      expect(claimed.map(({ aliasId }) => aliasId).sort()).toEqual(aliases.map(({ aliasId }) => aliasId).sort());
      for (const one of claimed) expect(one.known).toEqual(known);
      for (const one of claimed) await outbox().settle(one, { kind: "gone", known: nothingKnown, recheckAt: null });
      expect(JSON.stringify(await allRows(context))).not.toContain(userId);
    });
  });

  describe("claims", () => {
    it("take turns between accounts: 10,000 rows of one do not delay another's single alias", async () => {
      const busy = await plantRows(10_000);
      expect((await outbox().claim({ most: 4, leaseMs })).map(({ userId }) => userId)).toEqual(Array(4).fill(busy));
      const claims = outbox();
      context.clock.advance(1000);
      const { aliasId } = await anOwnAlias();
      const ids: string[] = [];
      for (let count = 0; count < 3; count += 1)
        ids.push(...(await claims.claim({ most: 1, leaseMs })).map((claimed) => claimed.aliasId));
      expect(ids).toHaveLength(3);
      expect(ids).toContain(aliasId);
    });

    it("serve accounts with many rows evenly", async () => {
      const accounts = [await plantRows(500), await plantRows(300), await plantRows(200)];
      const claims = outbox();
      const claimed: ClaimedAlias[] = [];
      for (let count = 0; count < 30; count += 1) claimed.push(...(await claims.claim({ most: 2, leaseMs })));
      const counts = accounts.map((userId) => claimed.filter((one) => one.userId === userId).length);
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(60);
      for (const count of counts) expect(count).toBeGreaterThanOrEqual(15);
    });

    it("find what is due behind any number of rows that wait for a later time", async () => {
      for (let count = 0; count < 300; count += 1) await plantRows(10, { dueMs: HOUR_MS });
      const { aliasId } = await anOwnAlias();
      expect((await claimOne()).aliasId).toBe(aliasId);
    });

    it("of two processes at the same time share the rows between them", async () => {
      await plantRows(100);
      await plantRows(100);
      const processes = [providerAliasStore(context), providerAliasStore(context), providerAliasStore(context)];
      const ids: string[] = [];
      const work = async ({ claim }: (typeof processes)[number]) => {
        for (let empty = 0; empty < 3; ) {
          const claimed = await claim({ most: 4, leaseMs });
          ids.push(...claimed.map(({ aliasId }) => aliasId));
          empty = claimed.length === 0 ? empty + 1 : 0;
        }
      };
      await Promise.all(processes.map(work));
      expect([ids.length, new Set(ids).size]).toEqual([200, 200]);
    });

    it("and what makes rows due read them by index, whatever the number of rows", async () => {
      for (let count = 0; count < 50; count += 1) await plantRows(400, { dueMs: count % 2 === 0 ? 0 : HOUR_MS });
      await sql`ANALYZE provider_alias`.execute(context.db);
      const plans: string[] = [];
      const explained = context.db.withPlugin({
        transformQuery: ({ node }) => node,
        transformResult: async ({ result }) => {
          for (const row of result.rows) if ("QUERY PLAN" in row) plans.push(String(row["QUERY PLAN"]));
          return result;
        },
      });
      const due = sql`due_at IS NOT NULL AND coalesce(leased_until, due_at) <= ${context.clock.now()}::timestamptz`;
      await sql`EXPLAIN SELECT alias_id FROM provider_alias WHERE ${due} ORDER BY coalesce(leased_until, due_at) LIMIT 64`.execute(
        explained,
      );
      await sql`EXPLAIN SELECT alias_id FROM provider_alias WHERE user_id = ${randomUUID()}::uuid AND ${due}
        ORDER BY coalesce(leased_until, due_at) LIMIT 1`.execute(explained);
      await sql`EXPLAIN SELECT user_id FROM provider_alias WHERE due_at IS NOT NULL AND user_id > ${randomUUID()}::uuid
        ORDER BY user_id LIMIT 1`.execute(explained);
      await sql`EXPLAIN SELECT count(*) FROM provider_alias WHERE user_id = ${randomUUID()}::uuid
        AND (wanted <> done OR held IS NOT NULL)`.execute(explained);
      const text = plans.join("\n");
      expect(text).toMatch(
        /provider_alias_due[^]*provider_alias_turn[^]*provider_alias_turn[^]*provider_alias_unfinished/,
      );
      expect(text).not.toMatch(/Seq Scan|Sort/);
    });
  });

  describe("what people and the operator see", () => {
    it("failed aliases come first, then waiting ones, then those that are off; another account's are not shown", async () => {
      const userId = await aPerson();
      const [held, failed] = [await anOwnAlias(userId), await anOwnAlias(userId)];
      await anOwnAlias();
      const notBefore = later(60_000);
      for (const claimed of await outbox().claim({ most: 4, leaseMs })) {
        const isFailed = claimed.aliasId === failed.aliasId;
        const outcome = { known, recheckAt: null };
        if (isFailed) await outbox().settle(claimed, { ...outcome, kind: "failed", problem: "conflict", notBefore });
        else
          await outbox().settle(claimed, {
            ...outcome,
            kind: "done",
            held: claimed.aliasId === held.aliasId ? "encrypted" : null,
          });
      }
      const waiting = await anOwnAlias(userId);
      const { counts, aliases } = await outbox().unfinished(userId);
      expect(counts).toEqual({ waiting: 1, failed: 1, held: 1 });
      expect(aliases).toEqual([
        { aliasId: failed.aliasId, state: "failed", problem: "conflict", held: null, nextTryAt: notBefore },
        { aliasId: waiting.aliasId, state: "waiting", problem: null, held: null, nextTryAt: context.clock.now() },
        { aliasId: held.aliasId, state: "held", problem: null, held: "encrypted", nextTryAt: null },
      ]);
      expect(await outbox().figures()).toEqual({
        waiting: 1,
        failed: 1,
        held: 1,
        oldestWaitingAt: context.clock.now(),
      });
      expect(await outbox().unfinished(randomUUID())).toEqual({
        counts: { waiting: 0, failed: 0, held: 0 },
        aliases: [],
      });
    });

    it("a deleted alias is neither listed nor counted for its owner, but for the operator", async () => {
      const one = await anOwnAlias();
      const gone = await anOwnAlias(one.userId);
      await stores().aliases.delete(gone.userId, gone.aliasId);
      expect(await outbox().unfinished(one.userId)).toMatchObject({
        counts: { waiting: 1, failed: 0, held: 0 },
        aliases: [{ aliasId: one.aliasId }],
      });
      expect(await outbox().figures()).toMatchObject({ waiting: 2 });
    });

    it("an alias stays off until a later change is there, and only its owner is told why", async () => {
      const one = await anOwnAlias();
      const heldOf = (userId: string) => outbox().heldOf(userId, one.aliasId);
      expect(await heldOf(one.userId)).toBeNull();
      await outbox().settle(await claimOne(), { ...done, held: "unconfirmed" });
      await rename(one);
      expect(await heldOf(one.userId)).toBe("unconfirmed");
      const notBefore = later(1000);
      const unmade = { known, recheckAt: null, kind: "failed", problem: "unreachable", notBefore } as const;
      await outbox().settle(await claimOne(), unmade);
      expect(await heldOf(one.userId)).toBe("unconfirmed");
      expect(await heldOf(randomUUID())).toBeNull();
      await rename(one);
      await outbox().settle(await claimOne(), done);
      expect(await heldOf(one.userId)).toBeNull();
    });

    it("aliases that were made with our own engine are counted until they are pushed", async () => {
      await anOwnAlias();
      await context.db.deleteFrom("provider_alias").execute();
      expect(await outbox().countUnpushed()).toBeGreaterThan(0);
      await outbox().wantAll(null, 1_000_000);
      expect(await outbox().countUnpushed()).toBe(0);
    });

    it("try now makes an own alias that failed due, and no other", async () => {
      const one = await anOwnAlias();
      expect(await outbox().tryNow(randomUUID(), one.aliasId)).toBe(false);
      await outbox().settle(await claimOne(), {
        kind: "failed",
        problem: "busy",
        known,
        recheckAt: null,
        notBefore: later(HOUR_MS),
      });
      expect(await outbox().tryNow(one.userId, one.aliasId)).toBe(true);
      await outbox().settle(await claimOne(), done);
      expect(await outbox().tryNow(one.userId, one.aliasId)).toBe(false);
    });

    it("an adopted copy is known, and its alias due once; a worker that has it in hand is not disturbed", async () => {
      const one = await anOwnAlias();
      const claimed = await claimOne();
      await outbox().adopt(one.aliasId, { ...known, providerId: "other" });
      await outbox().settle(claimed, done);
      expect((await outbox().knownOf([one.aliasId])).get(one.aliasId)).toEqual({
        ...known,
        userId: one.userId,
        isInStep: false,
      });
      await outbox().settle(await claimOne(), done);
      const copy = { ...nothingKnown, providerId: "other", address: "b@kauke.test" };
      await outbox().adopt(one.aliasId, copy);
      expect((await claimOne()).known).toEqual(copy);
      await outbox().adopt(randomUUID(), copy);
      const unknown = randomUUID();
      expect([...(await outbox().knownOf([one.aliasId, unknown])).keys()]).toEqual([one.aliasId]);
    });

    it("all aliases are made due page by page", async () => {
      const ids = [];
      for (let count = 0; count < 5; count += 1) ids.push((await anOwnAlias()).aliasId);
      await context.db.deleteFrom("provider_alias").execute();
      for (let after: string | null = null; ; ) {
        after = await outbox().wantAll(after, 2);
        if (after === null) break;
      }
      const known = await outbox().knownOf(ids);
      expect([...known.keys()].sort()).toEqual(ids.sort());
    });
  });

  describe("changes at the same time", () => {
    it("a new alias waits for a change of its account that has not seen it", async () => {
      const userId = await aPerson();
      await anOwnAlias(userId);
      let open = () => {};
      gate = new Promise((resolve) => (open = resolve));
      const proof = stores().accountLinks.confirmSameEmail(userId, String((await stores().users.find(userId))?.email));
      await sleep(100);
      gate = Promise.resolve();
      let isMade = false;
      const made = anOwnAlias(userId).then(() => (isMade = true));
      await sleep(100);
      expect(isMade).toBe(false);
      open();
      await Promise.all([proof, made]);
    });

    it("of all kinds neither deadlock nor lose anything", async () => {
      const userId = await aPerson();
      const email = String((await stores().users.find(userId))?.email);
      const mailbox = `m${randomUUID()}@example.org`;
      const ids: string[] = [];
      for (let count = 0; count < 12; count += 1) ids.push((await anOwnAlias(userId)).aliasId);
      const anyId = () => ids[Math.floor(Math.random() * ids.length)] ?? "";
      const active = { routing: { state: "active" as const, destinations: [mailboxDestination(mailbox)] } };
      const paused = { routing: { state: "paused" as const, lastDestinations: [mailboxDestination(mailbox)] } };
      const { aliases, destinations, accountLinks, providerAliases, smtpCredentials, missingMailboxes } = stores();
      const ask = async () => {
        const tokenHash = randomBytes(32);
        const tokenExpiresAt = later(HOUR_MS);
        await destinations.ask({
          id: randomUUID(),
          userId,
          address: mailbox,
          isByOwner: true,
          tokenHash,
          tokenExpiresAt,
        });
        await destinations.decideByLink(tokenHash, Math.random() < 0.5 ? "mine" : "not_mine");
      };
      const link = async (kind: "reset" | "new-email") => {
        const tokenHash = randomBytes(32);
        const of = { kind, tokenHash, userId, expiresAt: later(HOUR_MS) };
        await accountLinks.issue({ ...of, email, formerEmail: email });
        if (kind === "reset") await accountLinks.resetPassword(tokenHash, "hash");
        else await accountLinks.changeEmail({ tokenHash, userId, keepSession: null });
      };
      const refuse = () => missingMailboxes.note({ userId, address: mailbox, messageId: randomUUID() });
      const kinds: (() => Promise<unknown>)[] = [
        () => aliases.update(userId, anyId(), () => (Math.random() < 0.5 ? active : paused)),
        () => aliases.updateMany(userId, [...new Set([anyId(), anyId(), anyId()])], () => paused),
        () => rename({ userId, aliasId: anyId() }).catch(ignore("rate_limited")),
        () => aliases.deleteMany(userId, ids.splice(6, 1)),
        async () => void ids.push((await anOwnAlias(userId)).aliasId),
        ask,
        () => link("reset"),
        () => link("new-email"),
        () => accountLinks.confirmSameEmail(userId, email),
        () => refuse(),
        () => missingMailboxes.clear(userId, mailbox),
        () => providerAliases.wantAll(null, 100),
        () =>
          smtpCredentials
            .insert({ id: randomUUID(), userId, aliasId: anyId(), password: "p", createdAt: context.clock.now() })
            .catch(ignore("smtp_credential_exists")),
        async () => {
          for (const claimed of await providerAliases.claim({ most: 4, leaseMs })) {
            const isThere = (await aliases.find(userId, claimed.aliasId)) !== null;
            const known = { ...nothingKnown, providerId: randomUUID() };
            await providerAliases.settle(
              claimed,
              isThere ? { ...done, known } : { kind: "gone", known: nothingKnown, recheckAt: null },
            );
          }
        },
      ];
      const failures: string[] = [];
      const work = async () => {
        for (let count = 0; count < 60; count += 1) {
          const kind = kinds[Math.floor(Math.random() * kinds.length)];
          await kind?.().catch((thrown: unknown) => failures.push(String(thrown)));
        }
      };
      await Promise.all(Array.from({ length: 8 }, work));
      expect(failures).toEqual([]);
      for (let claimed = await providerAliases.claim({ most: 100, leaseMs }); claimed.length > 0; ) {
        for (const one of claimed) {
          const isThere = (await aliases.find(userId, one.aliasId)) !== null;
          await providerAliases.settle(one, isThere ? done : { kind: "gone", known: nothingKnown, recheckAt: null });
        }
        claimed = await providerAliases.claim({ most: 100, leaseMs });
      }
      const rows = await context.db.selectFrom("provider_alias").select(["alias_id", "wanted", "done"]).execute();
      const mine = await aliases.listForUser(userId);
      expect(rows.map((row) => row.alias_id).sort()).toEqual(mine.map(({ id }) => id).sort());
      expect(rows.every((row) => row.wanted === row.done)).toBe(true);
    }, 60_000);
  });
});

const ignore = (code: string) => (thrown: unknown) => {
  if ((thrown as { code?: string }).code !== code) throw thrown;
};
