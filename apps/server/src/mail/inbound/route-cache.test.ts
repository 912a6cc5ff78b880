import { createHash, randomBytes, randomUUID } from "node:crypto";
import { rounds } from "@kauke/testkit/long-rounds";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AliasRouting, aliasAddress, type EncryptionChoice, type RouteChange } from "../../core/alias/alias.ts";
import { AppError } from "../../core/app-error.ts";
import { mailboxDestination } from "../../store/rows.testing.ts";
import {
  insertAlias,
  insertUser,
  onEachDatabase,
  StoreTestClock,
  type StoreUnderTest,
} from "../../store/stores.testing.ts";
import { aRoute } from "./a-route.testing.ts";
import { RouteCache } from "./route-cache.ts";

const DAY_MS = 86_400_000;
const paused: AliasRouting = { state: "paused", lastDestinations: [mailboxDestination("ann@inbox.example")] };
const to = (address: string): AliasRouting => ({ state: "active", destinations: [mailboxDestination(address)] });
const gone: AliasRouting = {
  state: "active",
  destinations: [
    mailboxDestination("ann@inbox.example"),
    { kind: "webhook", url: "https://hook.example/x", pausedAt: "2026-03-01T12:00:00.000Z" },
  ],
};

/** An account with aliases and a key, and every change that a route depends on. */
class Changes {
  readonly #given: StoreUnderTest;
  readonly #address: string;
  /** Every address that any alias has had. */
  readonly addresses: string[] = [];
  #user = { id: "", email: "" };
  #aliasIds: string[] = [];
  #keyId = "";

  constructor(given: StoreUnderTest) {
    this.#given = given;
    this.#address = `m${randomUUID()}@inbox.example`;
  }

  async start(): Promise<void> {
    const user = await insertUser(this.#given.store);
    this.#user = { id: user.id, email: user.email ?? "" };
    this.#keyId = randomUUID();
    const key = { id: this.#keyId, userId: user.id, keyName: "k", publicKey: "age1one", encryptedPrivateKey: "w" };
    await this.#given.store.encryptionKeys.insert({ ...key, isDefault: true, createdAt: new Date() }, 50);
    for (let count = 0; count < 2; count += 1) await this.all.create();
  }

  async #ask(): Promise<Buffer> {
    const tokenHash = createHash("sha256").update(randomBytes(20)).digest();
    this.#given.clock.advance(30 * DAY_MS);
    const tokenExpiresAt = new Date(this.#given.clock.now().getTime() + DAY_MS);
    const pair = { id: randomUUID(), userId: this.#user.id, address: this.#address, isByOwner: true };
    await this.#given.store.destinations.ask({ ...pair, tokenHash, tokenExpiresAt });
    return tokenHash;
  }

  async #answer(choice: "mine" | "not_mine" | "block"): Promise<unknown> {
    return await this.#given.store.destinations.decideByLink(await this.#ask(), choice);
  }

  async #update(change: { name?: string; routing?: AliasRouting; webhookSecret?: Buffer; sealTo?: EncryptionChoice }) {
    const [aliasId] = this.#aliasIds;
    if (aliasId === undefined) return;
    const alias = await this.#given.store.aliases.update(this.#user.id, aliasId, () => change);
    if (alias !== null) this.addresses.push(aliasAddress(alias.name, alias.domain));
  }

  async #refuse(times: number): Promise<void> {
    for (let count = 0; count < times; count += 1) {
      this.#given.clock.advance(DAY_MS);
      const refusal = { userId: this.#user.id, address: this.#address, messageId: randomUUID() };
      await this.#given.store.missingMailboxes.note(refusal);
    }
  }

  async #proveMailbox(): Promise<void> {
    const tokenHash = randomBytes(32);
    const expiresAt = new Date(this.#given.clock.now().getTime() + DAY_MS);
    await this.#given.store.accountLinks.issue({
      kind: "reset",
      tokenHash,
      userId: this.#user.id,
      email: this.#user.email,
      expiresAt,
    });
    await this.#given.store.accountLinks.resetPassword(tokenHash, "$argon2id$v=19$m=65536,t=3,p=1$c2FsdA$aGFzaA");
  }

  readonly all = {
    create: async () => {
      const alias = await insertAlias(this.#given.store, this.#user.id, { routing: to(this.#address) });
      this.#aliasIds.push(alias.id);
      this.addresses.push(aliasAddress(alias.name, alias.domain));
    },
    turnToNextAlias: async () => void this.#aliasIds.push(...this.#aliasIds.splice(0, 1)),
    takeOldAddress: async () => {
      const [address = ""] = this.addresses;
      await this.#update({ name: address.split("@")[0] ?? "" });
    },
    pause: () => this.#update({ routing: paused }),
    resume: () => this.#update({ routing: to(this.#address) }),
    editDestinations: () => this.#update({ routing: to(`x${randomUUID()}@inbox.example`) }),
    pauseWebhookThatIsGone: () => this.#update({ routing: gone }),
    rename: () => this.#update({ name: `r${randomUUID()}` }),
    changeWebhookSecret: () => this.#update({ webhookSecret: randomBytes(32) }),
    encryptAlias: () => this.#update({ sealTo: { keyId: this.#keyId } }),
    encryptAliasOff: () => this.#update({ sealTo: "off" }),
    encryptAliasAsAccount: () => this.#update({ sealTo: "account" }),
    encryptAccount: () => this.#given.store.users.changeSettings(this.#user.id, { sealTo: this.#keyId }),
    encryptAccountOff: () => this.#given.store.users.changeSettings(this.#user.id, { sealTo: "off" }),
    deleteKey: () => this.#given.store.encryptionKeys.delete(this.#user.id, this.#keyId),
    ask: () => this.#ask(),
    confirm: () => this.#answer("mine"),
    refuse: () => this.#answer("not_mine"),
    block: () => this.#answer("block"),
    unblock: () => this.#given.store.operator.unblockMailbox(this.#address),
    oneRefusal: () => this.#refuse(1),
    suspend: () => this.#refuse(3),
    clearRefusals: () => this.#given.store.missingMailboxes.clear(this.#user.id, this.#address),
    forgetRefusals: () => {
      this.#given.clock.advance(400 * DAY_MS);
      return this.#given.store.maintenance();
    },
    proveMailbox: () => this.#proveMailbox(),
    deleteAlias: async () => {
      const aliasId = this.#aliasIds.shift();
      if (aliasId !== undefined) await this.#given.store.aliases.delete(this.#user.id, aliasId);
    },
    deleteAccount: async () => {
      await this.#given.store.users.delete(this.#user.id);
      this.#aliasIds = [];
      await this.start();
    },
  };

  /** A change that the store refuses is no change. */
  async make(name: keyof Changes["all"]): Promise<void> {
    try {
      await this.all[name]();
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
  }
}

onEachDatabase((given) => {
  const names = Object.keys(new Changes(given).all) as (keyof Changes["all"])[];

  async function expectSame(cache: RouteCache, { addresses }: Changes): Promise<void> {
    for (const address of new Set(addresses))
      expect(await cache.find(address)).toEqual(await given.store.aliases.findRoute(address));
  }

  it("after any sequence of changes the cache answers as the store does", { timeout: 120_000 }, async () => {
    const cache = new RouteCache(given.store.aliases, given.clock);
    const property = fc.asyncProperty(fc.array(fc.constantFrom(...names), { maxLength: 12 }), async (sequence) => {
      const changes = new Changes(given);
      await changes.start();
      for (const name of sequence) {
        await expectSame(cache, changes);
        // Look-ups that run during the change may return either state, but must leave nothing stale behind.
        const during = changes.addresses.map(async (address) => await cache.find(address));
        await changes.make(name);
        await expectSame(cache, changes);
        await Promise.all(during);
        await expectSame(cache, changes);
      }
    });
    await fc.assert(property, { numRuns: rounds(12, 40) });
  });

  it.each(["pause", "editDestinations", "pauseWebhookThatIsGone", "rename", "changeWebhookSecret"] as const)(
    "a cached route is dropped by the change %s of its alias",
    (name) => expectDropped(name),
  );
  it.each(["encryptAlias", "encryptAliasOff", "encryptAccount", "ask", "oneRefusal", "suspend"] as const)(
    "a cached route is dropped by the change %s of what it depends on",
    (name) => expectDropped(name),
  );
  it.each(["confirm", "refuse", "block", "proveMailbox", "deleteAlias", "deleteAccount"] as const)(
    "a cached route is dropped by %s",
    (name) => expectDropped(name),
  );
  it.each([
    ["resume", "pause"],
    ["encryptAliasAsAccount", "encryptAliasOff"],
    ["encryptAccountOff", "encryptAccount"],
    ["unblock", "block"],
    ["clearRefusals", "suspend"],
    ["forgetRefusals", "oneRefusal"],
  ] as const)("a cached route is dropped by the change %s after %s", (name, before) => expectDropped(name, before));

  async function expectDropped(name: keyof Changes["all"], before?: keyof Changes["all"]): Promise<void> {
    const changes = new Changes(given);
    await changes.start();
    if (before !== undefined) await changes.make(before);
    const cache = new RouteCache(given.store.aliases, given.clock);
    const [address = ""] = changes.addresses;
    const first = await cache.find(address);
    if (first?.paused === false) expect(await cache.find(address)).toBe(first);
    await changes.make(name);
    await expectSame(cache, changes);
  }

  it("a route is cached until it changes if no other process can change it, otherwise for a minute", async () => {
    const { id } = await insertUser(given.store);
    const { name, domain } = await insertAlias(given.store, id);
    const cache = new RouteCache(given.store.aliases, given.clock);
    const address = aliasAddress(name, domain);
    const route = await cache.find(address);
    given.clock.advance(59_999);
    expect(await cache.find(address)).toBe(route);
    given.clock.advance(1);
    const later = await cache.find(address);
    if (given.severalProcesses) expect(later).not.toBe(route);
    else expect(later).toBe(route);
  });
});

describe("a look-up that runs during a change", () => {
  /** A store whose queries end when the test says so. */
  function aSlowStore() {
    const queries: ((route: ReturnType<typeof aRoute> | null) => void)[] = [];
    const listeners: ((change: RouteChange) => void)[] = [];
    const aliases = {
      findRoute: () => new Promise<ReturnType<typeof aRoute> | null>((resolve) => queries.push(resolve)),
      onRouteChange: (listener: (change: RouteChange) => void) => void listeners.push(listener),
      reportsAllChanges: true,
    };
    const change = (what: RouteChange) => listeners.forEach((listener) => listener(what));
    return { cache: new RouteCache(aliases, new StoreTestClock()), queries, change };
  }

  it.each([
    ["its alias", { aliasId: "alias" }],
    ["its account", { userId: "account" }],
    ["all routes", "all" as const],
  ])("is repeated when the change concerns %s, and never returns the old route", async (_, what) => {
    const { cache, queries, change } = aSlowStore();
    const [before, after] = [aRoute("alias", "account"), { ...aRoute("alias", "account"), destinations: [] }];
    const found = cache.find("alias@kauke.test");
    change(what);
    queries.shift()?.(before);
    await expect.poll(() => queries.length).toBe(1);
    queries.shift()?.(after);
    expect(await found).toBe(after);
    expect(await cache.find("alias@kauke.test")).toBe(after);
  });

  it("is not repeated when the change concerns other routes", async () => {
    const { cache, queries, change } = aSlowStore();
    const route = aRoute("alias", "account");
    const found = cache.find("alias@kauke.test");
    change({ aliasId: "other" });
    change({ userId: "somebody" });
    queries.shift()?.(route);
    expect(await found).toBe(route);
    expect(await cache.find("alias@kauke.test")).toBe(route);
  });

  it("is repeated when it found nothing, since any alias may have been renamed to the address", async () => {
    const { cache, queries, change } = aSlowStore();
    const found = cache.find("alias@kauke.test");
    change({ aliasId: "alias" });
    queries.shift()?.(null);
    await expect.poll(() => queries.length).toBe(1);
    queries.shift()?.(aRoute("alias", "account"));
    expect(await found).toEqual(aRoute("alias", "account"));
  });

  it("ends after ten queries when changes never stop, and caches nothing", async () => {
    const { cache, queries, change } = aSlowStore();
    const found = cache.find("alias@kauke.test");
    for (let query = 1; query <= 10; query += 1) {
      await expect.poll(() => queries.length).toBe(1);
      change("all");
      queries.shift()?.(aRoute("alias", "account"));
    }
    expect(await found).toEqual(aRoute("alias", "account"));
    const next = cache.find("alias@kauke.test");
    await expect.poll(() => queries.length).toBe(1);
    queries.shift()?.(null);
    await next;
  });

  it("that fails leaves nothing behind", async () => {
    const cache = new RouteCache(
      { findRoute: () => Promise.reject(new Error("gone")), onRouteChange: () => {}, reportsAllChanges: true },
      new StoreTestClock(),
    );
    await expect(cache.find("alias@kauke.test")).rejects.toThrow("gone");
  });
});

it("routes with much text count as much as they need, so they can't fill the memory", async () => {
  const url = `https://hook.example/${"x".repeat(2000)}`;
  const destinations = Array.from({ length: 10 }, () => ({ kind: "webhook" as const, url }));
  let queries = 0;
  const findRoute = async (address: string) => {
    queries += 1;
    const name = address.split("@")[0] ?? "";
    return aRoute(name, `account of ${name}`, { destinations });
  };
  const aliases = { findRoute, onRouteChange: () => {}, reportsAllChanges: true };
  const cache = new RouteCache(aliases, new StoreTestClock(), 1_000_000);
  for (let n = 0; n < 1000; n += 1) await cache.find(`a${n}@kauke.test`);
  queries = 0;
  for (let n = 999; n >= 950; n -= 1) await cache.find(`a${n}@kauke.test`);
  expect(queries).toBeGreaterThan(0);
  expect(queries).toBeLessThan(10);
});
