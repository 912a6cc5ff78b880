import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { CLIENT_NUMBER_MAX } from "../../core/client-number.ts";
import { insertAlias, insertUser, onEachDatabase } from "../stores.testing.ts";

onEachDatabase((given) => {
  const anAccount = async (aliases: number) => {
    const user = await insertUser(given.store);
    const ids: string[] = [];
    for (let index = 0; index < aliases; index++) ids.push((await insertAlias(given.store, user.id)).id);
    return { user, ids };
  };

  it("aliases are numbered from 1 in the order in which they are first asked for, and keep their numbers", async () => {
    const { clientNumbers } = given.store;
    const { user, ids } = await anAccount(3);
    const [first, second, third] = ids as [string, string, string];
    expect(await clientNumbers.numbersOf(user.id, "alias", [])).toEqual(new Map());
    expect(await clientNumbers.numbersOf(user.id, "alias", [second])).toEqual(new Map([[second, 1]]));
    const all = await clientNumbers.numbersOf(user.id, "alias", [third, first, second, first]);
    expect(Object.fromEntries(all)).toEqual({ [second]: 1, [third]: 2, [first]: 3 });
    expect(await clientNumbers.idOf(user.id, "alias", 2)).toBe(third);
    expect(await clientNumbers.idOf(user.id, "alias", 4)).toBeNull();
    for (const none of [0, -1, CLIENT_NUMBER_MAX, CLIENT_NUMBER_MAX + 1, 2 ** 40, 1.5])
      expect(await clientNumbers.idOf(user.id, "alias", none)).toBeNull();
  });

  it("the number of a deleted alias is never assigned again", async () => {
    const { clientNumbers, aliases } = given.store;
    const { user, ids } = await anAccount(2);
    await clientNumbers.numbersOf(user.id, "alias", ids);
    await aliases.delete(user.id, ids[1] as string);
    expect(await clientNumbers.idOf(user.id, "alias", 2)).toBeNull();
    const next = await insertAlias(given.store, user.id);
    const numbers = await clientNumbers.numbersOf(user.id, "alias", [...ids, next.id]);
    expect(Object.fromEntries(numbers)).toEqual({ [ids[0] as string]: 1, [next.id]: 3 });
  });

  it("two accounts number their own aliases and never see each other's", async () => {
    const { clientNumbers, users } = given.store;
    const [mine, theirs] = [await anAccount(1), await anAccount(2)];
    const [other] = theirs.ids as [string];
    expect(await clientNumbers.numbersOf(mine.user.id, "alias", [other, randomUUID()])).toEqual(new Map());
    await clientNumbers.numbersOf(theirs.user.id, "alias", theirs.ids);
    expect(await clientNumbers.numbersOf(mine.user.id, "alias", mine.ids)).toEqual(new Map([[mine.ids[0], 1]]));
    expect(await clientNumbers.idOf(mine.user.id, "alias", 2)).toBeNull();
    expect(await clientNumbers.numbersOf(mine.user.id, "alias", [other])).toEqual(new Map());
    await users.delete(mine.user.id);
    expect(await clientNumbers.numbersOf(mine.user.id, "alias", mine.ids)).toEqual(new Map());
    expect(await clientNumbers.idOf(theirs.user.id, "alias", 1)).toBe(other);
  });

  it("mailboxes are numbered separately, and the number of a deleted mailbox is never assigned again", async () => {
    const { clientNumbers, mailboxes } = given.store;
    const { user, ids } = await anAccount(1);
    const add = async (address: string) => (await mailboxes.add(user.id, address, 10))?.id as string;
    const [first, second] = [await add("ann@example.org"), await add("bob@example.org")];
    await clientNumbers.numbersOf(user.id, "alias", ids);
    const numbers = await clientNumbers.numbersOf(user.id, "mailbox", [first, second]);
    expect(Object.fromEntries(numbers)).toEqual({ [first]: 1, [second]: 2 });
    expect(await clientNumbers.numbersOf(user.id, "mailbox", ids)).toEqual(new Map());
    await mailboxes.delete(user.id, second);
    expect(await clientNumbers.idOf(user.id, "mailbox", 2)).toBeNull();
    const again = await add("bob@example.org");
    expect(await clientNumbers.numbersOf(user.id, "mailbox", [again])).toEqual(new Map([[again, 3]]));
    expect(await clientNumbers.idOf(user.id, "mailbox", 1)).toBe(first);
  });

  it("concurrent first listings give every alias one number and no number twice, in several processes too", async () => {
    const { user, ids } = await anAccount(40);
    const second = given.severalProcesses ? await given.openSecond() : given.store;
    try {
      const listings = Array.from({ length: 8 }, (_, index) => {
        const { clientNumbers } = index % 2 === 0 ? given.store : second;
        const some = index % 3 === 0 ? [...ids].reverse() : ids.slice(index, 20 + 3 * index);
        return clientNumbers.numbersOf(user.id, "alias", some);
      });
      const answers = await Promise.all(listings);
      const whole = await given.store.clientNumbers.numbersOf(user.id, "alias", ids);
      for (const answer of answers) for (const [id, number] of answer) expect(whole.get(id)).toBe(number);
      expect([...whole.values()].sort((a, b) => a - b)).toEqual(ids.map((_, index) => index + 1));
    } finally {
      if (second !== given.store) await second.close();
    }
  });

  it("listings while aliases and the account are deleted end without an error or a deadlock", async () => {
    const { user, ids } = await anAccount(20);
    const { clientNumbers, aliases, users } = given.store;
    const list = () => clientNumbers.numbersOf(user.id, "alias", ids);
    await Promise.all([list(), ...ids.slice(0, 5).map((id) => aliases.delete(user.id, id)), list(), list()]);
    await Promise.all([list(), users.delete(user.id), list()]);
    expect(await list()).toEqual(new Map());
  });
});
