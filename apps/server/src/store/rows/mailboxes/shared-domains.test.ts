/** Which domains count as shared, and how rows from before their domain was stored get it. */
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { onEachContext } from "../../context.testing.ts";
import { underStartLock } from "../../migrate.ts";
import { destinationStore } from "./destinations.ts";
import { fillDestinationDomains } from "./mailboxes.ts";

onEachContext((given) => {
  const isShared = (domain: string) => destinationStore(given.context).isSharedDomain(domain);

  beforeEach(async () => {
    for (const table of ["destination", "alias", "user"] as const) await given.context.db.deleteFrom(table).execute();
  });

  async function makeUser(email: string | null = null): Promise<string> {
    const { db, keys } = given.context;
    const [id, now] = [randomUUID(), new Date()];
    const row = { id, auth_method: "email" as const, balance_cents: 0, created_at: now, updated_at: now };
    await db
      .insertInto("user")
      .values({ ...row, sealed: keys.seal("user", id, { email }) })
      .execute();
    return id;
  }

  async function makeAlias(userId: string, addresses: readonly string[], key: "destinations" | "lastDestinations") {
    const { db, keys } = given.context;
    const id = randomUUID();
    const lists = { destinations: [], lastDestinations: [] };
    const document = { ...lists, [key]: addresses.map((address) => ({ kind: "mailbox", address })) };
    const row = { id, user_id: userId, active: true, created_at: new Date(), address_index: randomBytes(32) };
    await db
      .insertInto("alias")
      .values({ ...row, sealed: keys.seal("alias", id, document) })
      .execute();
    return id;
  }

  async function addMailbox(userId: string, address: string, isConfirmed = true): Promise<void> {
    const tokenHash = createHash("sha256").update(randomBytes(20)).digest();
    const times = { tokenExpiresAt: new Date(given.context.clock.now().getTime() + 86_400_000) };
    const store = destinationStore(given.context);
    await store.ask({ id: randomUUID(), userId, address, isByOwner: true, tokenHash, ...times });
    if (isConfirmed) await store.decideByLink(tokenHash, "mine");
  }

  describe("a domain", () => {
    it("is shared once two accounts have confirmed mailboxes there, in any spelling", async () => {
      const [ann, bob] = [await makeUser(), await makeUser()];
      await addMailbox(ann, "ann@Inbox.example");
      await addMailbox(ann, "work@inbox.example");
      expect(await isShared("inbox.example")).toBe(false);
      await addMailbox(bob, "bob@inbox.example", false);
      expect(await isShared("inbox.example")).toBe(false);
      await addMailbox(bob, "bob2@INBOX.example");
      expect(await isShared("inbox.example")).toBe(true);
      expect(await isShared("other.example")).toBe(false);
    });

    it("is shared with all subdomains of what somebody registered, by the public suffix list", async () => {
      const [ann, bob, cleo] = [await makeUser(), await makeUser(), await makeUser()];
      await addMailbox(ann, "ann@students.uni.example");
      await addMailbox(bob, "bob@uni.example");
      await addMailbox(bob, "bob@one.co.uk");
      await addMailbox(cleo, "cleo@two.co.uk");
      const domains = ["students.uni.example", "uni.example", "staff.uni.example", "one.co.uk", "two.co.uk", "co.uk"];
      expect(await Promise.all(domains.map(isShared))).toEqual([true, true, true, false, false, false]);
    });

    it("of a public mail host is shared, and its hash is not stored", async () => {
      await addMailbox(await makeUser(), "ann@gmail.com");
      const rows = await given.context.db.selectFrom("destination").select("domain_index").execute();
      expect(rows).toEqual([{ domain_index: Buffer.alloc(0) }]);
      for (const host of ["gmail.com", "yahoo.co.jp", "web.de", "i.softbank.jp", "mail.web.de"])
        expect(await isShared(host)).toBe(true);
    });
  });

  it("a mailbox from before gets its domain at the start, by its alias or by the account's e-mail", async () => {
    const { db, keys } = given.context;
    const [ann, bob, cleo] = [await makeUser(), await makeUser("bob@one.example"), await makeUser()];
    await makeAlias(ann, ["ann@ONE.example"], "destinations");
    await makeAlias(ann, ["ann@two.example"], "lastDestinations");
    const broken = await makeAlias(cleo, ["cleo@two.example"], "destinations");
    await makeAlias(cleo, ["cleo@two.example"], "destinations");
    await addMailbox(ann, "ann@one.example");
    await addMailbox(ann, "ann@two.example");
    await addMailbox(bob, "bob@one.example");
    await addMailbox(cleo, "cleo@two.example");
    await addMailbox(cleo, "forgotten@one.example");
    await db
      .updateTable("alias")
      .set({ sealed: randomBytes(64) })
      .where("id", "=", broken)
      .execute();
    await db.updateTable("destination").set({ domain_index: null }).execute();
    expect([await isShared("one.example"), await isShared("two.example")]).toEqual([false, false]);
    const fill = () => underStartLock(db, (trx) => fillDestinationDomains(trx, keys));
    await fill();
    expect([await isShared("one.example"), await isShared("two.example")]).toEqual([true, true]);
    const open = db.selectFrom("destination").select("id").where("domain_index", "is", null);
    expect(await open.execute()).toEqual([]);
    await fill();
  });
});
