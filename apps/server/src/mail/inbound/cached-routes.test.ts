import fc from "fast-check";
import { expect, it } from "vitest";
import type { RouteChange } from "../../core/alias/alias-store.ts";
import { aRoute } from "./a-route.testing.ts";
import { CACHED_ROUTES_BYTES, CachedRoutes } from "./cached-routes.ts";

const FOREVER = Number.POSITIVE_INFINITY;

function add(routes: CachedRoutes, aliasId: string, userId: string): void {
  routes.add(`${aliasId}@kauke.test`, aRoute(aliasId, userId), FOREVER);
}

const isCached = (routes: CachedRoutes, aliasId: string) => routes.find(`${aliasId}@kauke.test`) !== undefined;

it("an account with very many routes evicts its own and nobody else's", () => {
  const routes = new CachedRoutes();
  const others = Array.from({ length: 1000 }, (_, n) => `other${n}`);
  for (const name of others) add(routes, name, `account of ${name}`);
  for (let n = 0; n < 60_000; n += 1) add(routes, `many${n}`, "busy account");
  expect(routes.bytes).toBeLessThanOrEqual(CACHED_ROUTES_BYTES);
  expect(routes.count).toBeGreaterThan(15_000);
  expect(others.filter((name) => !isCached(routes, name))).toEqual([]);
});

it("routes with much text count as much as they need, so they can't fill the memory", () => {
  const routes = new CachedRoutes(1_000_000);
  const url = `https://hook.example/${"x".repeat(2000)}`;
  const destinations = Array.from({ length: 10 }, () => ({ kind: "webhook" as const, url }));
  for (let n = 0; n < 1000; n += 1)
    routes.add(`a${n}@kauke.test`, aRoute(`a${n}`, `account ${n}`, { destinations }), FOREVER);
  expect(routes.bytes).toBeLessThanOrEqual(1_000_000);
  expect(routes.count).toBeLessThan(50);
});

it("within an account the routes that mail uses stay when others are asked for once", () => {
  const routes = new CachedRoutes(100_000);
  add(routes, "used", "account");
  for (let n = 0; n < 10_000; n += 1) {
    const used = routes.find("used@kauke.test");
    expect(used).toBeDefined();
    if (used !== undefined) used.isUsed = true;
    add(routes, `once${n}`, "account");
  }
});

it("after any sequence of steps the bounds hold, and what is found was added and not dropped", () => {
  const name = fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h");
  const account = (alias: string) => `account ${alias < "d" ? "1" : alias}`;
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ add: name, size: fc.nat(3000) }) },
    { weight: 2, arbitrary: fc.record({ use: name }) },
    { weight: 2, arbitrary: fc.record({ drop: name, all: fc.boolean() }) },
    { weight: 1, arbitrary: fc.constant({ clear: true }) },
  );
  const property = fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
    const routes = new CachedRoutes(8000);
    const model = new Map<string, unknown>();
    for (const it of steps) {
      if ("add" in it) {
        const route = aRoute(it.add, account(it.add), { pausedWebhooks: ["x".repeat(it.size)] });
        routes.add(route.address, route, FOREVER);
        model.set(it.add, route);
        expect(routes.find(route.address)?.route).toBe(route);
      } else if ("use" in it) {
        const found = routes.find(`${it.use}@kauke.test`);
        if (found !== undefined) found.isUsed = true;
      } else if ("drop" in it) {
        const change: RouteChange = it.all ? { userId: account(it.drop) } : { aliasId: it.drop };
        routes.drop(change);
        for (const alias of model.keys())
          if (it.all ? account(alias) === account(it.drop) : alias === it.drop) model.delete(alias);
      } else {
        routes.drop("all");
        model.clear();
      }
      const found = [..."abcdefgh"].map((alias) => routes.find(`${alias}@kauke.test`)).filter((it) => it !== undefined);
      for (const it of found) expect(model.get(it.route.aliasId)).toBe(it.route);
      expect(routes.count).toBe(found.length);
      expect(routes.bytes).toBe(found.reduce((sum, it) => sum + it.bytes, 0));
      expect(routes.bytes).toBeLessThanOrEqual(8000);
    }
  });
  fc.assert(property, { numRuns: 300 });
});
