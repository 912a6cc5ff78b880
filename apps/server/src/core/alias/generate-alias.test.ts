import { randomUUID } from "node:crypto";
import { aliasFormats, aliasWordsMin, generatedNames, isAliasName, limits, nameEntropyBits } from "@kauke/contract";
import { aliasWords } from "@kauke/contract/alias-words";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rateLimitRules } from "../../limits/named-limits.ts";
import { type Random, systemRandom } from "../../runtime/ports.ts";
import { openStore, type Store } from "../../store/open-store.ts";
import { aUser } from "../../store/rows.testing.ts";
import { domainsOf } from "../domain/mail-domains.testing.ts";
import { findFreeName, generateAlias, generateName, siteHost, siteName } from "./generate-alias.ts";
import { deleteAlias } from "./update-alias.ts";

const sites = fc.oneof(
  fc.constant(null),
  fc.stringMatching(new RegExp(`^[a-z0-9]([a-z0-9-]{0,${generatedNames.site.nameMax - 2}}[a-z0-9])?$`)),
);

describe("a generated name", () => {
  it("is a valid alias name of at most 64 characters, in lower case, for every format and site", () => {
    fc.assert(
      fc.property(fc.constantFrom(...aliasFormats), sites, (format, site) => {
        const name = generateName(format, systemRandom, site);
        expect(isAliasName(name), name).toBe(true);
        expect(name).toBe(name.toLowerCase());
        expect(name.length).toBeLessThanOrEqual(limits.aliasNameMax);
      }),
      { numRuns: 2000 },
    );
  });

  it("matches the pattern of its format", () => {
    const { characters, words, site } = generatedNames;
    const drawn = `[${characters.alphabet}]`;
    const word = "[a-z]{3,8}";
    expect(generateName("characters", systemRandom)).toMatch(new RegExp(`^${drawn}{${characters.length}}$`));
    expect(generateName("site", systemRandom)).toMatch(new RegExp(`^${drawn}{${characters.length}}$`));
    expect(generateName("site", systemRandom, "shop")).toMatch(new RegExp(`^shop\\.${drawn}{${site.suffixLength}}$`));
    expect(generateName("words", systemRandom)).toMatch(
      new RegExp(`^(?:${word}\\.){${words.words}}\\d{${words.digits}}$`),
    );
    expect(generateName("uuid", systemRandom)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-/);
  });

  it("has as many bits of randomness as the contract states", () => {
    const { characters, words, site } = generatedNames;
    const perCharacter = Math.log2(new Set(characters.alphabet).size);
    expect(characters.alphabet.length).toBe(new Set(characters.alphabet).size);
    expect({
      characters: Math.floor(characters.length * perCharacter),
      words: Math.floor(words.words * Math.log2(aliasWordsMin) + words.digits * Math.log2(10)),
      // RFC 9562: 6 of the 128 bits of a version 4 UUID are fixed.
      uuid: 128 - 6,
      site: Math.floor(site.suffixLength * perCharacter),
    }).toEqual(nameEntropyBits);
    expect(nameEntropyBits.characters).toBeGreaterThanOrEqual(60);
    expect(nameEntropyBits.words).toBeGreaterThanOrEqual(40);
    expect(nameEntropyBits.site).toBeGreaterThanOrEqual(20);
  });

  it("draws every character, word and number with the same probability", () => {
    const draws = 22_000;
    const counts = new Map<string, number>();
    for (let n = 0; n < draws / generatedNames.characters.length; n++)
      for (const one of generateName("characters", systemRandom)) counts.set(one, (counts.get(one) ?? 0) + 1);
    const expected = draws / generatedNames.characters.alphabet.length;
    // Limit of five standard deviations: the test fails by chance once in a hundred thousand runs.
    for (const [character, count] of counts)
      expect(Math.abs(count - expected), character).toBeLessThan(5 * Math.sqrt(expected));
    expect(counts.size).toBe(generatedNames.characters.alphabet.length);
  });

  it("skips random numbers that would make some words more likely, and can yield the first and the last word", () => {
    const last = aliasWords.length - 1;
    const draws = [2 ** 32 - 1, 0, last, 2 * aliasWords.length - 1, 99];
    expect(generateName("words", drawing(draws))).toBe(
      [aliasWords[0], aliasWords[last], aliasWords[last], 99].join("."),
    );
    expect(generateName("words", drawing([0, 0, 0, 7]))).toMatch(/\.07$/);
  });
});

/** A source of randomness that yields the given numbers below 2^32 in turn. */
function drawing(numbers: number[]): Random {
  const left = [...numbers];
  return {
    bytes: () => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(left.shift() ?? 0);
      return bytes;
    },
    uuid: () => systemRandom.uuid(),
  };
}

it.each([
  ["shop.example", "shop"],
  ["www.Shop.Example", "shop"],
  ["https://accounts.shop.co.uk/sign-up?next=/", "shop"],
  ["shop.example:8443", "shop"],
  ["café-noir.fr", "cafe-noir"],
  ["xn--caf-noir-d1a.fr", "cafe-noir"],
  ["ann.github.io", "ann"],
  ["a-very-long-name-of-a-site-that-nobody-types.example", "a-very-long-name-of-a-si"],
  ["a-very-long-name-of-a-s-ite.example", "a-very-long-name-of-a-s"],
])("the name of %s is %s", (hostname, name) => {
  expect(siteName(hostname)).toBe(name);
});

it.each(["", " ", "localhost", "192.0.2.7", "[2001:db8::1]", "co.uk", "пример.рф", "http://", "a b", "/"])(
  "“%s” has no name",
  (hostname) => {
    expect(siteName(hostname)).toBeNull();
  },
);

it("any text yields either no name or one that an alias name can begin with", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[a-zé-]{1,30}(\.[a-z]{2,3}){1,2}$/)), (text) => {
      const name = siteName(text);
      if (name !== null) expect(isAliasName(`${name}.x`), name).toBe(true);
    }),
  );
});

it("the host name of a URL has neither path nor query, and a text that is too long yields none", () => {
  expect(siteHost("https://Accounts.Shop.example/sign-up?session=secret")).toBe("accounts.shop.example");
  expect(siteHost(`https://shop.example/${"x".repeat(limits.webhookUrlMax)}`)).toBeNull();
});

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
  mailDomains: domainsOf(["kauke.test"]),
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
