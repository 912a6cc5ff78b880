import { randomBytes, randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { onEachContext } from "../../context.testing.ts";
import { SealError } from "../../sealing/seal.ts";
import type { AliasDocument } from "./alias-document.ts";
import { routeReads } from "./alias-routes.ts";

onEachContext((it) => {
  async function makeUser(): Promise<string> {
    const [id, now] = [randomUUID(), new Date()];
    const row = { id, auth_method: "email" as const, balance_cents: 0, created_at: now, updated_at: now };
    await it.context.db
      .insertInto("user")
      .values({ ...row, sealed: randomBytes(8) })
      .execute();
    return id;
  }
  /** @returns the index of the alias' address */
  async function makeAlias(userId: string, name: string, isReadable: boolean): Promise<Buffer> {
    const { db, keys } = it.context;
    const [id, index, key] = [randomUUID(), randomBytes(32), randomBytes(32).toString("base64")];
    const mailbox = { kind: "mailbox" as const, address: "ann@example.org" };
    const document: AliasDocument = {
      name,
      domain: "kauke.test",
      notes: "",
      destinations: [mailbox],
      lastDestinations: [],
      providerId: null,
      webhookSecret: key,
      replyKey: key,
    };
    const sealed = isReadable ? keys.seal("alias", id, document) : randomBytes(64);
    const row = { id, user_id: userId, active: true, created_at: new Date(), address_index: index, sealed };
    await db.insertInto("alias").values(row).execute();
    return index;
  }

  test("an alias that can't be unsealed fails alone, also when it is looked up together with others", async () => {
    const userId = await makeUser();
    const names = Array.from({ length: 12 }, (_, n) => `alias-${n}`);
    const indexes = [];
    for (const [n, name] of names.entries()) indexes.push(await makeAlias(userId, name, n !== 7));
    const { byAddress } = routeReads(it.context);
    const looks = await Promise.allSettled(indexes.map((index) => byAddress(index)));
    for (const [n, look] of looks.entries()) {
      if (n === 7) expect(look).toMatchObject({ status: "rejected", reason: expect.any(SealError) });
      else expect(look).toMatchObject({ status: "fulfilled", value: { address: `alias-${n}@kauke.test` } });
    }
  });
});
