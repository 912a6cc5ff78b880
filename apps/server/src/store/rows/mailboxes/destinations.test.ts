import { createHash, randomBytes, randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { AskInput } from "../../../core/destination/destination.ts";
import { mailboxDestination } from "../../rows.testing.ts";
import { insertAlias, insertUser, onEachDatabase } from "../../stores.testing.ts";

const DAY_MS = 86_400_000;

onEachDatabase((given) => {
  const aMailbox = () => `m${randomUUID()}@example.org`;
  const wishOf = (userId: string, address: string, change: Partial<AskInput> = {}): AskInput => ({
    id: randomUUID(),
    userId,
    address,
    isByOwner: false,
    tokenHash: createHash("sha256").update(randomBytes(20)).digest(),
    tokenExpiresAt: new Date(given.clock.now().getTime() + 30 * DAY_MS),
    ...change,
  });
  async function aPair(address = aMailbox()) {
    const { store } = given;
    const user = await insertUser(store);
    const alias = await insertAlias(store, user.id, {
      routing: { state: "active", destinations: [mailboxDestination(address)] },
    });
    const input = wishOf(user.id, address);
    return { user, alias, address, input, path: `${alias.name}@${alias.domain}` };
  }
  const stateOf = async ({ user, address }: { user: { id: string }; address: string }) =>
    (await given.store.destinations.states(user.id, [address])).get(address);

  describe("a destination mailbox of an account", () => {
    it("is new at first, is asked once, and is named by the route until it is confirmed", async () => {
      const { aliases, destinations } = given.store;
      const pair = await aPair();
      const route = async () => (await aliases.findRoute(pair.path))?.unconfirmed;
      expect(await route()).toEqual(new Map([[pair.address, "new"]]));
      expect(await destinations.ask(pair.input)).toEqual({ kind: "ask" });
      expect(await destinations.ask(wishOf(pair.user.id, pair.address))).toEqual({ kind: "known", state: "asked" });
      expect(await route()).toEqual(new Map([[pair.address, "asked"]]));
      expect(await destinations.decideByLink(pair.input.tokenHash, "mine")).toEqual({ state: "confirmed", ended: [] });
      expect(await route()).toBeUndefined();
      expect((await aliases.findRouteById(pair.alias.id))?.unconfirmed).toBeUndefined();
    });

    it("is the same for any letter case and tag", async () => {
      const { destinations } = given.store;
      const pair = await aPair();
      await destinations.ask(pair.input);
      const other = pair.address.toUpperCase().replace("@", "+tag@");
      expect(await stateOf({ ...pair, address: other })).toBe("asked");
    });

    it("when it refuses, gets no more mail from this account, and the owner's spelling of it is returned once", async () => {
      const { aliases, destinations } = given.store;
      const pair = await aPair();
      const other = await aPair(pair.address);
      for (const { input } of [pair, other]) await destinations.ask(input);
      const ended = [{ userId: pair.user.id, address: pair.address }];
      expect(await destinations.decideByLink(pair.input.tokenHash, "not_mine")).toEqual({ state: "refused", ended });
      expect(await destinations.decideByLink(pair.input.tokenHash, "not_mine")).toEqual({
        state: "refused",
        ended: [],
      });
      expect((await aliases.findRoute(pair.path))?.destinations).toEqual([]);
      expect((await aliases.findRoute(other.path))?.destinations).toEqual([mailboxDestination(pair.address)]);
    });

    it("when it blocks, is blocked for every account, also for later ones, and is stored as a hash only", async () => {
      const { aliases, destinations } = given.store;
      const pair = await aPair();
      const other = await aPair(pair.address);
      for (const { input } of [pair, other]) await destinations.ask(input);
      await destinations.decideByLink(other.input.tokenHash, "mine");
      const answered = await destinations.decideByLink(pair.input.tokenHash, "block");
      expect(answered?.state).toBe("blocked");
      expect(new Set(answered?.ended.map((it) => it.userId))).toEqual(new Set([pair.user.id, other.user.id]));
      expect((await aliases.findRoute(other.path))?.destinations).toEqual([]);
      const later = await aPair(pair.address);
      expect(await destinations.ask(later.input)).toEqual({ kind: "known", state: "blocked" });
      expect(await destinations.isAnyBlocked([aMailbox(), pair.address.replace("@", "+x@")])).toBe(true);
      expect(await destinations.isAnyBlocked([aMailbox()])).toBe(false);
      expect((await destinations.decideByLink(other.input.tokenHash, "mine"))?.state).toBe("blocked");
    });

    it("the sixth unconfirmed one has to wait, also with concurrent requests", async () => {
      const { destinations } = given.store;
      const { user } = await aPair();
      const inputs = Array.from({ length: 8 }, () => wishOf(user.id, aMailbox()));
      const kinds = (await Promise.all(inputs.map((input) => destinations.ask(input)))).map((it) => it.kind);
      expect(kinds.filter((kind) => kind === "ask")).toHaveLength(5);
      expect(kinds.filter((kind) => kind === "too_many")).toHaveLength(3);
    });

    it("is in its earlier state when the confirmation message could not be queued", async () => {
      const { destinations } = given.store;
      const pair = await aPair();
      await destinations.ask(pair.input);
      await destinations.takeBackAsk(pair.input);
      expect(await stateOf(pair)).toBe("new");
      expect(await destinations.readLink(pair.input.tokenHash)).toBeNull();
    });
  });

  describe("a confirmation link", () => {
    it("works until it expires, is deleted afterwards, and its answer remains", async () => {
      const { store, clock } = given;
      const pair = await aPair();
      await store.destinations.ask(pair.input);
      clock.advance(30 * DAY_MS - 1000);
      expect(await store.destinations.readLink(pair.input.tokenHash)).toMatchObject({ state: "asked" });
      await store.destinations.decideByLink(pair.input.tokenHash, "not_mine");
      clock.advance(1000);
      expect(await store.destinations.readLink(pair.input.tokenHash)).toBeNull();
      expect(await store.destinations.decideByLink(pair.input.tokenHash, "mine")).toBeNull();
      expect((await store.maintenance()).oneTimeTokens).toBeGreaterThan(0);
      expect(await stateOf(pair)).toBe("refused");
    });

    it("with an unknown token is not found", async () => {
      expect(await given.store.destinations.readLink(randomBytes(32))).toBeNull();
      expect(await given.store.destinations.decideByLink(randomBytes(32), "block")).toBeNull();
    });

    it("is deleted with the account, like the account's mailbox states", async () => {
      const { destinations, users } = given.store;
      const pair = await aPair();
      await destinations.ask(pair.input);
      await users.delete(pair.user.id);
      expect(await destinations.readLink(pair.input.tokenHash)).toBeNull();
      expect(await stateOf(pair)).toBe("new");
    });
  });

  it("every change of a state drops the account's routes, in this process and in others", async () => {
    const { store, severalProcesses } = given;
    const pair = await aPair();
    const heard: unknown[] = [];
    store.aliases.onRouteChange((change) => void heard.push(change));
    const second = severalProcesses ? await given.openSecond() : null;
    try {
      const other = new Promise<unknown>((done) =>
        second?.aliases.onRouteChange((change) => {
          if (change !== "all") done(change);
        }),
      );
      await store.destinations.ask(pair.input);
      expect(heard).toContainEqual({ aliasId: pair.alias.id });
      if (second !== null) expect(await other).toEqual({ aliasId: pair.alias.id });
      heard.length = 0;
      await store.destinations.decideByLink(pair.input.tokenHash, "mine");
      expect(heard).toContainEqual({ aliasId: pair.alias.id });
    } finally {
      await second?.close();
    }
  });
});
