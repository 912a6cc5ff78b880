import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import type { Invite } from "../../../core/registration.ts";
import { onEachContext } from "../../context.testing.ts";
import { aUser } from "../../rows.testing.ts";
import { onEachDatabase } from "../../stores.testing.ts";
import { inviteStore } from "./invites.ts";

const DAY_MS = 86_400_000;

describe("invites", () => {
  onEachDatabase((fixture) => {
    let token: string;
    let invite: Invite;
    beforeEach(async () => {
      const createdAt = fixture.clock.now();
      token = randomUUID();
      invite = { id: randomUUID(), address: "ann@example.org", createdAt, expiresAt: new Date(+createdAt + DAY_MS) };
      expect(await fixture.store.invites.insert(invite, token)).toBe(true);
    });

    const isOpen = async () => (await fixture.store.invites.find(token)) !== null;
    const listed = async () => (await fixture.store.invites.list()).filter(({ id }) => id === invite.id);

    it("an open invite is found by its token and listed", async () => {
      expect(await fixture.store.invites.find(token)).toEqual({ address: "ann@example.org" });
      expect(await listed()).toEqual([invite]);
      expect(await fixture.store.invites.find(randomUUID())).toBeNull();
    });

    it("an expired invite is neither found nor listed, and creates no account", async () => {
      fixture.clock.advance(DAY_MS);
      expect(await isOpen()).toBe(false);
      expect(await listed()).toEqual([]);
      expect(await fixture.store.invites.revoke(invite.id)).toBe(false);
      await expect(fixture.store.users.insert(aUser(), { invite: token })).rejects.toThrow("invite_required");
    });

    it("a revoked invite creates no account, and is revoked once", async () => {
      const { users, invites } = fixture.store;
      expect([await invites.revoke(invite.id), await invites.revoke(invite.id)]).toEqual([true, false]);
      const user = aUser();
      await expect(users.insert(user, { invite: token })).rejects.toThrow("invite_required");
      expect(await users.insertIfFree(user, { invite: token })).toBe(false);
      expect(await users.find(user.id)).toBeNull();
    });

    it("an account uses its invite up", async () => {
      await fixture.store.users.insert(aUser(), { invite: token });
      expect(await isOpen()).toBe(false);
    });

    it("an account that cannot be created leaves the invite open", async () => {
      const { users } = fixture.store;
      const user = aUser();
      await users.insert(user);
      await expect(users.insert(aUser({ email: user.email }), { invite: token })).rejects.toThrow("email_taken");
      expect(await users.insertIfFree(aUser({ email: user.email }), { invite: token })).toBe(false);
      expect(await isOpen()).toBe(true);
    });

    it("of concurrent registrations with one invite exactly one creates an account, on any process", async () => {
      const second = fixture.severalProcesses ? await fixture.openSecond() : fixture.store;
      const people = Array.from({ length: 10 }, () => aUser());
      const created = await Promise.all(
        people.map((user, at) => {
          const { users } = at % 2 === 0 ? fixture.store : second;
          if (at % 4 < 2) return users.insertIfFree(user, { invite: token });
          return users.insert(user, { invite: token }).then(
            () => true,
            () => false,
          );
        }),
      );
      const found = await Promise.all(people.map(({ id }) => fixture.store.users.find(id)));
      expect(created.filter(Boolean)).toHaveLength(1);
      expect(found.map((user) => user !== null)).toEqual(created);
      if (second !== fixture.store) await second.close();
    });
  });
});

onEachContext((fixture) => {
  it("no more invites are open than may be, even if several are made at once", async () => {
    const { context } = fixture;
    const invites = inviteStore(context, 3);
    const createdAt = context.clock.now();
    const make = (expiresAt: Date) =>
      invites.insert({ id: randomUUID(), address: null, createdAt, expiresAt }, randomUUID());
    expect(await make(createdAt)).toBe(true);
    const made = await Promise.all([1, 2, 3, 4, 5].map((days) => make(new Date(+createdAt + days * DAY_MS))));
    expect(made.filter(Boolean)).toHaveLength(3);
    const { rows } = await sql<{ count: number }>`SELECT count(*)::int AS count FROM invitation`.execute(context.db);
    expect(rows[0]?.count).toBe(4);
  });
});
