import { randomUUID } from "node:crypto";
import { limits } from "@kauke/contract";
import { describe, expect, it } from "vitest";
import { type Alias, mailboxesOf } from "../../../core/alias/alias.ts";
import { domainsOf } from "../../../core/domain/mail-domains.testing.ts";
import { readAccountDefaults } from "../../../core/mailbox/account-defaults.ts";
import { listMailboxes } from "../../../core/mailbox/list-mailboxes.ts";
import { removeMailbox } from "../../../core/mailbox/remove-mailbox.ts";
import { systemRandom } from "../../../runtime/ports.ts";
import { aUser, mailboxDestination } from "../../rows.testing.ts";
import { insertAlias, insertUser, onEachDatabase } from "../../stores.testing.ts";

const mailDomains = domainsOf(["kauke.test", "slapta.test"]);
const confirmation = { origin: "http://localhost:3000", domain: "kauke.test" };

const forwardingTo = (...addresses: string[]): Pick<Alias, "routing"> => ({
  routing: { state: "active", destinations: addresses.map(mailboxDestination) },
});

describe("the mailboxes of an account", () => {
  onEachDatabase((given) => {
    const deps = () => ({ ...given.store, clock: given.clock, confirmation, mailDomains, limitRules: null });
    const listed = async (userId: string) =>
      (await listMailboxes(deps(), userId)).map(({ address, aliasCount }) => [address, aliasCount]);

    async function confirm(userId: string, address: string): Promise<void> {
      const tokenHash = systemRandom.bytes(32);
      const tokenExpiresAt = new Date(given.clock.now().getTime() + 3_600_000);
      const pair = { id: randomUUID(), userId, address, isByOwner: true };
      await given.store.destinations.ask({ ...pair, tokenHash, tokenExpiresAt });
      await given.store.destinations.decideByLink(tokenHash, "mine");
    }

    it("get one row for each address, whatever its letter case, and keep their ids and the oldest alias' time", async () => {
      const { id, email } = await insertUser(given.store);
      const createdAt = new Date("2026-02-01T00:00:00.000Z");
      await insertAlias(given.store, id, { ...forwardingTo("Ann+shop@inbox.example"), createdAt });
      await insertAlias(given.store, id, forwardingTo("ann+shop@INBOX.example", "ann@inbox.example"));
      const first = await listMailboxes(deps(), id);
      expect(first.map(({ address, aliasCount }) => [address, aliasCount])).toEqual(
        expect.arrayContaining([
          ["Ann+shop@inbox.example", 2],
          ["ann@inbox.example", 1],
          [email, 0],
        ]),
      );
      expect(first).toHaveLength(3);
      expect(first[0]).toMatchObject({ address: "Ann+shop@inbox.example", createdAt });
      await insertAlias(given.store, id, forwardingTo("ANN@inbox.example"));
      const again = await listMailboxes(deps(), id);
      expect(again.map((it) => it.id)).toEqual(first.map((it) => it.id));
    });

    it("get their rows once when two processes list them at the same time", async () => {
      const { id } = await insertUser(given.store);
      await insertAlias(given.store, id, forwardingTo("a@inbox.example", "b@inbox.example"));
      const [one, other] = await Promise.all([listMailboxes(deps(), id), listMailboxes(deps(), id)]);
      const ids = (all: typeof one) => all.map((it) => it.id).sort();
      expect(ids(one)).toEqual(ids(other));
    });

    it("leave the list when no alias forwards to them any more, unless they were added or confirmed", async () => {
      const { id, email } = await insertUser(given.store);
      const alias = await insertAlias(
        given.store,
        id,
        forwardingTo("used@x.example", "sure@x.example", "added@x.example"),
      );
      await confirm(id, "sure@x.example");
      expect(await listed(id)).toHaveLength(4);
      await given.store.mailboxes.add(id, "added@x.example", limits.addedMailboxesMax);
      await given.store.aliases.delete(id, alias.id);
      expect((await listed(id)).sort()).toEqual(
        [
          ["added@x.example", 0],
          ["sure@x.example", 0],
          [email, 0],
        ].sort(),
      );
    });

    it("are visible to another account only if that account has them too", async () => {
      const [ann, bob] = [await insertUser(given.store), await insertUser(given.store)];
      const mine = await given.store.mailboxes.add(ann.id, "shared@x.example", 10);
      await given.store.mailboxes.add(bob.id, "shared@x.example", 10);
      expect(await given.store.mailboxes.delete(bob.id, mine?.id ?? "")).toBe(false);
      await given.store.mailboxes.deleteUnused(bob.id, [mine?.id ?? ""]);
      await expect(removeMailbox(deps(), { userId: bob.id, mailboxId: mine?.id ?? "" })).rejects.toMatchObject({
        code: "not_found",
      });
      expect(await listed(ann.id)).toContainEqual(["shared@x.example", 0]);
    });

    it("can be added up to the limit, also by concurrent requests; a mailbox added twice counts once", async () => {
      const { id } = await insertUser(given.store);
      const add = (n: number) => given.store.mailboxes.add(id, `m${n}@x.example`, 3);
      const added = await Promise.all([1, 2, 3, 4, 5].map(add));
      expect(added.filter((it) => it !== null)).toHaveLength(3);
      const known = added.findIndex((it) => it !== null) + 1;
      expect(await add(known)).toMatchObject({ id: added[known - 1]?.id, isAdded: true });
      expect(await given.store.mailboxes.add(randomUUID(), "m@x.example", 3)).toBeNull();
    });

    it("one is the default: the chosen one, else the account's e-mail, else the oldest, each only if confirmed", async () => {
      const user = aUser({ emailConfirmedAt: given.clock.now() });
      await given.store.users.insert(user);
      await insertAlias(given.store, user.id, forwardingTo("first@x.example", "other@x.example"));
      const defaultOf = async () => (await readAccountDefaults(deps(), user.id)).mailbox?.address ?? null;
      const marked = async () => (await listMailboxes(deps(), user.id)).filter((it) => it.isDefault);
      expect([await defaultOf(), (await marked())[0]?.address]).toEqual([user.email, user.email]);
      const other = (await listMailboxes(deps(), user.id)).find((it) => it.address === "other@x.example");
      await given.store.users.changeDefaults(user.id, { mailboxId: other?.id ?? null });
      expect(await defaultOf()).toBe(user.email);
      await confirm(user.id, "other@x.example");
      expect([await defaultOf(), (await marked()).map((it) => it.address)]).toEqual([
        "other@x.example",
        ["other@x.example"],
      ]);
      await given.store.users.changeDefaults(user.id, { mailboxId: null });
      expect(await defaultOf()).toBe(user.email);
    });

    it("no mailbox is the default of an account of which none is confirmed, and the oldest confirmed one without e-mail", async () => {
      const user = aUser({ email: null, walletAddress: randomUUID(), authMethod: "wallet" });
      await given.store.users.insert(user);
      await insertAlias(given.store, user.id, forwardingTo("first@x.example", "second@x.example"));
      expect((await readAccountDefaults(deps(), user.id)).mailbox).toBeNull();
      await confirm(user.id, "second@x.example");
      expect((await readAccountDefaults(deps(), user.id)).mailbox).toMatchObject({ address: "second@x.example" });
    });

    it("a chosen domain that the operator has removed falls back to the first", async () => {
      const { id } = await insertUser(given.store);
      await given.store.users.changeDefaults(id, { domain: "slapta.test", format: "words", siteInName: true });
      expect(await readAccountDefaults(deps(), id)).toMatchObject({
        domain: "slapta.test",
        format: "words",
        siteInName: true,
      });
      const fewer = { ...deps(), mailDomains: domainsOf(["kauke.test"]) };
      expect(await readAccountDefaults(fewer, id)).toMatchObject({ domain: "kauke.test", format: "words" });
    });

    it("a removed mailbox is removed from every alias, active or paused, and their cached routes are dropped", async () => {
      const { id, email } = await insertUser(given.store);
      const gone = "gone@x.example";
      const active = await insertAlias(given.store, id, forwardingTo("Gone@x.example", "a@x.example"));
      const paused = await insertAlias(given.store, id, {
        routing: {
          state: "paused",
          lastDestinations: [mailboxDestination(gone), { kind: "webhook", url: "https://h.example/" }],
        },
      });
      const dropped: unknown[] = [];
      given.store.aliases.onRouteChange((change) => void dropped.push(change));
      const found = (await listMailboxes(deps(), id)).find((it) => it.address.toLowerCase() === gone);
      expect(await removeMailbox(deps(), { userId: id, mailboxId: found?.id ?? "" })).toBe(2);
      expect(dropped.length).toBeGreaterThan(0);
      expect((await given.store.aliases.findRouteById(active.id))?.destinations).toEqual([
        mailboxDestination("a@x.example"),
      ]);
      expect((await given.store.aliases.find(id, paused.id))?.routing).toEqual({
        state: "paused",
        lastDestinations: [{ kind: "webhook", url: "https://h.example/" }],
      });
      expect((await listed(id)).map(([address]) => address).sort()).toEqual(["a@x.example", email].sort());
    });

    it("removing an alias' only destination changes nothing, and the error names the alias", async () => {
      const { id } = await insertUser(given.store);
      const both = await insertAlias(given.store, id, forwardingTo("needed@x.example", "a@x.example"));
      const only = await insertAlias(given.store, id, forwardingTo("needed@x.example"));
      const found = (await listMailboxes(deps(), id)).find((it) => it.address === "needed@x.example");
      const removal = removeMailbox(deps(), { userId: id, mailboxId: found?.id ?? "" });
      await expect(removal).rejects.toMatchObject({
        code: "mailbox_needed",
        details: { message: expect.stringContaining(`${only.name}@kauke.test`) },
      });
      const kept = await given.store.aliases.find(id, both.id);
      expect(kept === null ? [] : mailboxesOf(kept)).toContain("needed@x.example");
      expect(await listed(id)).toContainEqual(["needed@x.example", 2]);
    });
  });
});
