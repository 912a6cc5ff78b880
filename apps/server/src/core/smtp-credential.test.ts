import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rateLimitRules } from "../limits/named-limits.ts";
import { openStore, type Store } from "../store/open-store.ts";
import { insertAlias, insertUser, StoreTestClock } from "../store/stores.testing.ts";
import { checkSubmitter, newSmtpPassword, type SmtpLoginAttempt, smtpAuthenticator } from "./smtp-credential.ts";

const real = { bytes: (length: number) => randomBytes(length) };

describe("a new SMTP password", () => {
  it("has 24 characters in groups of four, without characters that look alike", () => {
    for (let round = 0; round < 500; round += 1) {
      const password = newSmtpPassword(real);
      expect(password).toMatch(/^(?:[2-9A-HJ-NP-Za-kmnp-z]{4}-){5}[2-9A-HJ-NP-Za-kmnp-z]{4}$/);
    }
  });

  it("uses every character of the alphabet about equally often", () => {
    const seen = new Map<string, number>();
    const rounds = 4000;
    for (let round = 0; round < rounds; round += 1)
      for (const it of newSmtpPassword(real).replaceAll("-", "")) seen.set(it, (seen.get(it) ?? 0) + 1);
    const expected = (rounds * 24) / 56;
    expect(seen.size).toBe(56);
    // Five standard deviations: fails once in tens of thousands of runs by chance, and always for a biased selection.
    for (const count of seen.values()) expect(Math.abs(count - expected)).toBeLessThan(5 * Math.sqrt(expected));
  });

  it("skips bytes that would make some characters more likely", () => {
    let isUnfair = false;
    const bytes = (length: number) => {
      isUnfair = !isUnfair;
      return Buffer.alloc(length, isUnfair ? 255 : 0);
    };
    expect(newSmtpPassword({ bytes })).toBe("2222-2222-2222-2222-2222-2222");
  });
});

const clock = new StoreTestClock();
let store: Store;
beforeAll(async () => {
  store = await openStore({ databaseUrl: null, dataDir: null, secretKey: null, clock });
});
afterAll(() => store.close());

const PASSWORD = "vq4T-9mZe-Xr27-hKp8-Wd3n-6bYs";
let clients = 0;
const aClient = () => `10.${(clients += 1) >> 8}.${clients & 255}.1`;

/** Creates a user with an alias and credentials. @returns what a mail program signs in with */
async function aSubmitter() {
  const { id: userId } = await insertUser(store);
  const alias = await insertAlias(store, userId, { name: `shop-${randomUUID().slice(0, 8)}` });
  const input = { id: randomUUID(), userId, aliasId: alias.id, password: PASSWORD, createdAt: clock.now() };
  await store.smtpCredentials.insert(input);
  const right = { username: `${alias.name}@${alias.domain}`, password: PASSWORD, clientAddress: aClient() };
  return { alias, right, key: { userId, aliasId: alias.id, credentialId: input.id } };
}

const pause = () => ({ routing: { state: "paused" as const, lastDestinations: [] } });

const make = (limits: Parameters<typeof rateLimitRules>[0] = new Map()) =>
  smtpAuthenticator({ ...store, limitRules: rateLimitRules(limits), clock });

async function failUntilLimited(authenticate: ReturnType<typeof make>, attempt: SmtpLoginAttempt): Promise<number> {
  for (let tries = 1; tries <= 100; tries += 1) {
    const result = await authenticate(attempt).catch((thrown) => thrown);
    if (result?.code === "rate_limited") return tries;
    expect(result).toBeNull();
  }
  throw new Error("never limited");
}

describe("signing in to send", () => {
  it("returns the submitter, whatever the letter case of the user name", async () => {
    const { right, key } = await aSubmitter();
    for (const username of [right.username, right.username.toUpperCase()])
      expect(await make()({ ...right, username })).toEqual({
        kind: "signed_in",
        ...key,
        aliasAddress: right.username,
        stamp: expect.any(String),
      });
  });

  it.each([
    ["another password", "guess"],
    ["an empty one", ""],
    ["the right one and a character more", `${PASSWORD}x`],
    ["the right one without its last", PASSWORD.slice(0, -1)],
    ["the right one in another case", PASSWORD.toLowerCase()],
  ])("returns the same for %s and for an unknown user name", async (_, password) => {
    const { right } = await aSubmitter();
    const authenticate = make();
    expect(await authenticate({ ...right, password })).toBeNull();
    expect(await authenticate({ ...right, username: "nobody@kauke.test", password })).toBeNull();
  });

  it("reports a paused alias only for the right password", async () => {
    const { right, key } = await aSubmitter();
    await store.aliases.update(key.userId, key.aliasId, pause);
    expect(await make()(right)).toEqual({ kind: "paused" });
    expect(await make()({ ...right, password: "guess" })).toBeNull();
  });

  it("limits a client after 30 wrong passwords for any user names, until the window ends", async () => {
    const { right } = await aSubmitter();
    const authenticate = make(new Map([["smtp_login_account", { max: 1000, windowSeconds: 600 }]]));
    const guess = { ...right, password: "guess" };
    expect(await failUntilLimited(authenticate, guess)).toBe(31);
    const resetAt = new Date(clock.now().getTime() + 600_000);
    const { right: other } = await aSubmitter();
    const refused = authenticate({ ...other, password: "guess", clientAddress: right.clientAddress });
    await expect(refused).rejects.toMatchObject({ code: "rate_limited", details: { resetAt } });
    clock.advance(600_000);
    expect(await authenticate(guess)).toBeNull();
  });

  it("wrong passwords beyond the limit write nothing", async () => {
    const { right } = await aSubmitter();
    let written = 0;
    const take: Store["rateLimits"]["take"] = (...counted) => {
      written += 1;
      return store.rateLimits.take(...counted);
    };
    const rateLimits = { ...store.rateLimits, take };
    const authenticate = smtpAuthenticator({ ...store, rateLimits, limitRules: rateLimitRules(new Map()), clock });
    const guess = { ...right, password: "guess" };
    await failUntilLimited(authenticate, guess);
    const before = written;
    for (let times = 0; times < 20; times += 1)
      await expect(authenticate(guess)).rejects.toMatchObject({ code: "rate_limited" });
    expect(written).toBe(before);
  });

  it("accepts the right password while others guess from the same network, or the same user name from many", async () => {
    const { right } = await aSubmitter();
    const authenticate = make();
    const guess = { ...right, password: "guess" };
    await failUntilLimited(authenticate, guess);
    await expect(authenticate(guess)).rejects.toMatchObject({ code: "rate_limited" });
    expect(await authenticate(right)).toMatchObject({ kind: "signed_in" });
    for (let client = 1; client <= 40; client += 1)
      await authenticate({ ...guess, clientAddress: aClient() }).catch(() => null);
    const late = { ...right, username: right.username.toUpperCase(), clientAddress: aClient() };
    await expect(authenticate({ ...late, password: "guess" })).rejects.toMatchObject({ code: "rate_limited" });
    expect(await authenticate(late)).toMatchObject({ kind: "signed_in" });
  });

  it("right passwords never count", async () => {
    const { right } = await aSubmitter();
    const authenticate = make(new Map([["smtp_login_ip", { max: 1, windowSeconds: 600 }]]));
    for (let times = 0; times < 50; times += 1) await authenticate(right);
    expect(await authenticate({ ...right, password: "guess" })).toBeNull();
  });

  it("has no limit when limits are off", async () => {
    const { right } = await aSubmitter();
    const authenticate = make("off");
    for (let times = 0; times < 100; times += 1) expect(await authenticate({ ...right, password: "guess" })).toBeNull();
  });
});

describe("an open connection", () => {
  const signedIn = async () => {
    const { alias, right, key } = await aSubmitter();
    const submitter = await make()(right);
    if (submitter?.kind !== "signed_in") throw new Error("the password should be right");
    return { alias, key, check: () => checkSubmitter({ smtpCredentials: store.smtpCredentials }, submitter) };
  };

  it("may send while its credential is unchanged, and not while the alias is paused", async () => {
    const { alias, key, check } = await signedIn();
    await store.aliases.update(key.userId, key.aliasId, () => ({ notes: "new" }));
    expect(await check()).toBe("valid");
    await store.aliases.update(key.userId, key.aliasId, pause);
    expect(await check()).toBe("paused");
    await store.aliases.update(key.userId, key.aliasId, () => ({ routing: alias.routing }));
    expect(await check()).toBe("valid");
  });

  it("is invalid after the password changed", async () => {
    const { key, check } = await signedIn();
    await store.smtpCredentials.replacePassword(key, `${PASSWORD}-new`);
    expect(await check()).toBe("ended");
  });

  it("is invalid after the alias was renamed or the credential deleted", async () => {
    const [renamed, deleted] = [await signedIn(), await signedIn()];
    await store.aliases.update(renamed.key.userId, renamed.key.aliasId, ({ name }) => ({ name: `${name}-new` }));
    await store.smtpCredentials.delete(deleted.key);
    expect([await renamed.check(), await deleted.check()]).toEqual(["ended", "ended"]);
  });
});
