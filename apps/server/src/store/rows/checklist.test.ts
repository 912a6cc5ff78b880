import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { onEachContext, type TestContext } from "../context.testing.ts";
import { plantAccount } from "./accounts/account-rows.testing.ts";
import { checklistStore } from "./checklist.ts";

const rowsNamed = (count: number, name = "shop") =>
  Array.from({ length: count }, (_, index) => ({
    site: `${name}${index}.example`,
    oldAddress: `${name}${index}@duck.com`,
    aliasId: null,
  }));

const newUser = async (context: TestContext) =>
  (await plantAccount(context, { without: ["checklist", "blocked_mailbox"] })).userId;

describe("the checklist", () => {
  onEachContext((fixture) => {
    it("lists rows in the order in which they were added, over several documents", async () => {
      const { context } = fixture;
      const checklist = checklistStore(context);
      const userId = await newUser(context);
      const rows = rowsNamed(250);
      expect(await checklist.add(userId, rows.slice(0, 130), 5000)).toBe(130);
      expect(await checklist.add(userId, rows.slice(130), 5000)).toBe(120);
      const listed = await checklist.list(userId);
      expect(listed).toEqual(rows.map((row) => ({ ...row, id: expect.any(String), done: false })));
      expect(new Set(listed.map(({ id }) => id)).size).toBe(250);
      const documents = await context.db.selectFrom("checklist").select("id").where("user_id", "=", userId).execute();
      expect(documents).toHaveLength(3);
    });

    it("keeps a row and its tick when the same site is added again, in any case", async () => {
      const { context } = fixture;
      const checklist = checklistStore(context);
      const userId = await newUser(context);
      await checklist.add(userId, rowsNamed(2), 10);
      const [first] = await checklist.list(userId);
      await checklist.change(userId, [{ id: String(first?.id), done: true }]);
      const again = { site: "SHOP0.example", oldAddress: "Shop0@duck.com", aliasId: null };
      expect(await checklist.add(userId, [again, again, ...rowsNamed(3)], 10)).toBe(1);
      expect((await checklist.list(userId)).map(({ done }) => done)).toEqual([true, false, false]);
    });

    it("adds none of a call's rows if they would exceed the limit", async () => {
      const { context } = fixture;
      const checklist = checklistStore(context);
      const userId = await newUser(context);
      await checklist.add(userId, rowsNamed(9), 10);
      expect(await checklist.add(userId, rowsNamed(2, "other"), 10)).toBe("full");
      expect(await checklist.add(userId, rowsNamed(9), 10)).toBe(0);
      expect(await checklist.list(userId)).toHaveLength(9);
    });

    it("changes, removes and skips rows; another account's rows stay as they are", async () => {
      const { context } = fixture;
      const checklist = checklistStore(context);
      const [ann, bob] = [await newUser(context), await newUser(context)];
      await checklist.add(ann, rowsNamed(102), 5000);
      const rows = await checklist.list(ann);
      const ids = rows.map(({ id }) => id);
      const aliasId = randomUUID();
      const changes = [
        { id: String(ids[0]), done: true },
        { id: String(ids[1]), remove: true as const },
        { id: String(ids[100]), aliasId },
        { id: String(ids[101]), remove: true as const },
        { id: `${randomUUID()}.0`, done: true },
      ];
      expect(await checklist.change(bob, changes)).toBe(0);
      expect(await checklist.list(ann)).toEqual(rows);
      expect(await checklist.change(ann, changes)).toBe(4);
      const after = await checklist.list(ann);
      expect(after).toHaveLength(100);
      expect(after[0]).toMatchObject({ id: ids[0], done: true });
      expect(after.at(-1)).toMatchObject({ id: ids[100], aliasId, done: false });
      await checklist.add(ann, rowsNamed(1, "new"), 5000);
      expect((await checklist.list(ann)).map(({ id }) => id)).not.toContain(ids[101]);
    });

    it("is deleted as a whole, row by row, or with its account; nothing of it is readable in its column", async () => {
      const { context } = fixture;
      const checklist = checklistStore(context);
      const userId = await newUser(context);
      const documents = () => context.db.selectFrom("checklist").selectAll().where("user_id", "=", userId).execute();
      await checklist.add(userId, rowsNamed(1), 10);
      expect(Buffer.concat((await documents()).map(({ sealed }) => sealed)).includes("shop0")).toBe(false);
      const [row] = await checklist.list(userId);
      await checklist.change(userId, [{ id: String(row?.id), remove: true }]);
      expect(await documents()).toEqual([]);
      await checklist.add(userId, rowsNamed(1), 10);
      await checklist.clear(userId);
      expect(await documents()).toEqual([]);
      await checklist.add(userId, rowsNamed(1), 10);
      await context.db.deleteFrom("user").where("id", "=", userId).execute();
      expect(await documents()).toEqual([]);
    });
  });
});
