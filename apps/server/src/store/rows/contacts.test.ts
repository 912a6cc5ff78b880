import { expect, it } from "vitest";
import { onEachContext } from "../context.testing.ts";
import { plantAccount } from "./accounts/account-rows.testing.ts";
import { contactStore } from "./contacts.ts";

onEachContext((fixture) => {
  it("a contact that can't be read is not listed, spoils no list, and is replaced when its person is written to", async () => {
    const { context } = fixture;
    const { userId } = await plantAccount(context, { without: ["contact"] });
    const contacts = contactStore(context);
    const options = { now: context.clock.now(), max: 10 };
    const addresses = async () => (await contacts.list(userId)).map(({ address }) => address).toSorted();
    const damaged = await contacts.put(userId, { address: "rasa@example.org", publicKey: null }, options);
    await contacts.put(userId, { address: "jonas@example.org", publicKey: null }, options);
    const sealed = Buffer.alloc(60);
    await context.db
      .updateTable("contact")
      .set({ sealed })
      .where("id", "=", damaged?.id ?? "")
      .execute();
    expect(await addresses()).toEqual(["jonas@example.org"]);
    await contacts.remember(userId, ["rasa@example.org", "jonas@example.org"], options);
    expect(await addresses()).toEqual(["jonas@example.org", "rasa@example.org"]);
  });
});
