import type { AccountDomainWire, AliasWire } from "@kauke/contract";
import { expect, test } from "vitest";
import { holdingDomains, sendersOf } from "./senders.ts";

const named = (id: string) => ({ id, alias: id, domain: "kauke.test" });
const alias = (id: string, active = true) => ({ ...named(id), active }) as AliasWire;
const states = (senders: ReturnType<typeof sendersOf>) => senders.map(({ id, state }) => `${id} ${state}`);

test("all aliases are offered in their order, paused ones last", () => {
  const aliases = [alias("a", false), alias("b"), alias("c"), alias("d", false)];
  expect(states(sendersOf([named("c")], aliases))).toEqual(["b new", "c ready", "a paused", "d paused"]);
});

test("an alias that only the list of credentials knows can send", () => {
  expect(states(sendersOf([named("a"), named("b")], [alias("b")]))).toEqual(["a ready", "b ready"]);
  expect(sendersOf([], [])).toEqual([]);
});

test("an alias switched on since the aliases were cached can send", () => {
  expect(states(sendersOf([named("a")], [alias("a", false)]))).toEqual(["a ready"]);
});

test("aliases on own domains whose records are not right can't send, and the domains are named", () => {
  const on = (id: string, domain: string) => ({ ...alias(id), domain }) as AliasWire;
  const domain = (name: string, state: AccountDomainWire["state"]) => ({
    domain: name,
    shownDomain: name,
    state,
    failingSince: null,
  });
  const aliases = [on("a", "new.example"), on("b", "closed.example"), on("c", "failing.example"), alias("d")];
  const domains = [
    domain("closed.example", "closed"),
    domain("failing.example", "failing"),
    domain("new.example", "new"),
    domain("unused.example", "suspended"),
  ];
  const ready = [{ ...named("b"), domain: "closed.example" }];
  const senders = sendersOf(ready, aliases, domains);
  expect(states(senders)).toEqual(["c new", "d new", "a domain", "b domain"]);
  expect(holdingDomains(senders, domains).map(({ domain: name }) => name)).toEqual(["closed.example", "new.example"]);
  expect(holdingDomains(undefined, undefined)).toEqual([]);
});
