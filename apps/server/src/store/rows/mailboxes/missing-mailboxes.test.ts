import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { mailboxDestination } from "../../rows.testing.ts";
import { insertAlias, insertUser, onEachDatabase } from "../../stores.testing.ts";

const HOUR_MS = 3_600_000;

describe("mailboxes that their hosts say do not exist", () => {
  onEachDatabase((given) => {
    async function anOwner(...addresses: string[]) {
      const { store } = given;
      const user = await insertUser(store);
      const routing = { state: "active" as const, destinations: addresses.map(mailboxDestination) };
      const alias = await insertAlias(store, user.id, { routing });
      const route = async () => {
        const found = await store.aliases.findRouteById(alias.id);
        const named = found?.destinations.map((it) => (it.kind === "mailbox" ? it.address : it.url));
        return { open: named, missing: found?.missing };
      };
      const refuse = (address: string, messageId: string = randomUUID()) =>
        store.missingMailboxes.note({ userId: user.id, address, messageId });
      return { user, route, refuse };
    }

    it("refusals of three messages over a day suspend a mailbox for its account: routes leave it out until it is cleared", async () => {
      const address = `gone.${randomUUID()}@Example.org`;
      const other = `other.${randomUUID()}@example.org`;
      const mine = await anOwner(address, other);
      const neighbour = await anOwner(address);
      expect(await mine.refuse(address)).toMatchObject({ refusals: 1, isSuspended: false });
      given.clock.advance(23 * HOUR_MS);
      for (let again = 0; again < 5; again++) expect((await mine.refuse(address))?.isSuspended).toBe(false);
      expect(await mine.route()).toEqual({ open: [address, other], missing: [address] });
      given.clock.advance(HOUR_MS);
      expect(await mine.refuse(address.toLowerCase())).toMatchObject({ isSuspended: true, isNew: true });
      expect(await mine.refuse(address)).toBeNull();
      expect(await mine.route()).toEqual({ open: [other], missing: [address] });
      expect(await neighbour.route()).toEqual({ open: [address], missing: undefined });
      const { missingMailboxes } = given.store;
      expect(await missingMailboxes.suspended(mine.user.id, [address, other])).toEqual(new Set([address]));
      expect(await missingMailboxes.clear(neighbour.user.id, address)).toBe(false);
      expect(await missingMailboxes.clear(mine.user.id, address)).toBe(true);
      expect(await mine.route()).toEqual({ open: [address, other], missing: undefined });
    });

    it("a message taken in between resets the count; one message counts once; an address with a tag is counted separately", async () => {
      const address = `ann.${randomUUID()}@example.org`;
      const { user, refuse } = await anOwner(address);
      const messageId = randomUUID();
      for (let alias = 0; alias < 3; alias++) await refuse(address, messageId);
      given.clock.advance(25 * HOUR_MS);
      expect(await refuse(address)).toMatchObject({ refusals: 2, isSuspended: false });
      await given.store.missingMailboxes.clear(user.id, address);
      expect(await refuse(address)).toMatchObject({ refusals: 1, isSuspended: false });
      expect(await refuse(address.replace("@", "+tag@"))).toMatchObject({ refusals: 1 });
    });

    it("at most a thousand are counted for an account, and none for a deleted account", async () => {
      const { refuse, user } = await anOwner();
      for (let index = 0; index < 1000; index++) await refuse(`m${index}@example.org`);
      expect(await refuse("one-more@example.org")).toBeNull();
      expect(await refuse("m0@example.org")).toMatchObject({ refusals: 2 });
      await given.store.users.delete(user.id);
      expect(await refuse("m0@example.org")).toBeNull();
    }, 60_000);
  });
});
