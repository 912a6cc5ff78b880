import { randomUUID } from "node:crypto";
import { generatedNames, limits } from "@kauke/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemRandom } from "../../operate/random.ts";
import { openStore, type Store } from "../../store/open-store.ts";
import { aUser } from "../../store/rows.testing.ts";
import type { Random } from "../ports.ts";
import { rateLimitRules } from "../rate-limit/rate-limit-rules.ts";
import { deleteAlias } from "./delete-alias.ts";
import { findFreeName, generateAlias } from "./generate-alias.ts";

const now = new Date("2026-03-01T12:00:00.000Z");
const clock = { now: () => now };

let store: Store;
beforeAll(async () => {
  store = await openStore({ databaseUrl: null, dataDir: null, secretKey: null, clock });
});
afterAll(() => store.close());

async function anOwner(): Promise<string> {
  const user = aUser({ emailConfirmedAt: now });
  await store.users.insert(user);
  return user.id;
}

const deps = (random: Random = systemRandom) => ({
  ...store,
  random,
  clock,
  confirmation: { origin: "http://localhost:3000", domain: "kauke.test" },
  ownDomains: ["kauke.test"],
  limitRules: rateLimitRules(new Map()),
});

/** A source of randomness that yields the same name `times` times, and other names afterwards. */
function repeating(character: number, times: number): Random {
  let left = times * generatedNames.characters.length;
  const repeated = Buffer.alloc(4, 0);
  repeated.writeUInt32BE(character);
  return {
    uuid: () => systemRandom.uuid(),
    bytes: (length) => (left-- > 0 ? repeated : systemRandom.bytes(length)),
  };
}

const counted = async (userId: string) => {
  const exported = await store.accountExport.read(userId);
  const rows = [];
  for await (const page of exported?.rate_limit?.rows ?? []) rows.push(...page);
  return rows.filter((row) => row.actionType === "alias_create").map((row) => row.count);
};

describe("a generated alias", () => {
  it("gets another name when the first ones are taken, and counts once against the rate limit", async () => {
    const [ann, bob] = [await anOwner(), await anOwner()];
    const taken = await generateAlias(deps(repeating(3, 1)), { userId: ann }, "session");
    const made = await generateAlias(deps(repeating(3, 19)), { userId: bob }, "session");
    expect(taken.name).toBe("f".repeat(14));
    expect(made.name).not.toBe(taken.name);
    expect(await counted(bob)).toEqual([1]);
    const free = await findFreeName(deps(repeating(3, 19)), { userId: bob });
    expect(free.name).not.toBe(taken.name);
  });

  it("fails after twenty generated names that are taken, reserved, or held for a former owner", async () => {
    const [ann, bob] = [await anOwner(), await anOwner()];
    const held = await generateAlias(deps(repeating(4, 1)), { userId: ann }, "session");
    await deleteAlias(deps(), { userId: ann, aliasId: held.id });
    const failed = { code: "no_free_name" };
    await expect(generateAlias(deps(repeating(4, 20)), { userId: bob }, "session")).rejects.toMatchObject(failed);
    await expect(findFreeName(deps(repeating(4, 20)), { userId: bob })).rejects.toMatchObject(failed);
    expect((await findFreeName(deps(repeating(4, 20)), { userId: ann })).name).toBe(held.name);
    expect((await generateAlias(deps(repeating(4, 20)), { userId: ann }, "session")).name).toBe(held.name);
  });

  it("cuts notes that are too long between characters if the client asks for it, and otherwise refuses them", async () => {
    const userId = await anOwner();
    const notes = `${"x".repeat(limits.notesMax - 1)}🙂 and more`;
    const cut = await generateAlias(deps(), { userId, notes, cutNotes: true }, "key");
    expect(cut.notes).toBe("x".repeat(limits.notesMax - 1));
    expect(await store.aliases.find(userId, cut.id)).toMatchObject({ notes: cut.notes });
    const refused = generateAlias(deps(), { userId, notes }, "key");
    await expect(refused).rejects.toMatchObject({
      code: "invalid",
      details: { errors: { notes: [expect.any(String)] } },
    });
  });

  it("gets the host name of the website as notes, whatever its length, and never more of the URL", async () => {
    const userId = await anOwner();
    const hostname = `https://${"a".repeat(60)}.${"b".repeat(60)}.${"c".repeat(60)}.example/${randomUUID()}`;
    const { notes } = await generateAlias(deps(), { userId, hostname }, "session");
    expect(notes).toMatch(/^a+\.b+\.c*$/);
    expect(notes?.length).toBe(limits.notesMax);
  });
});
