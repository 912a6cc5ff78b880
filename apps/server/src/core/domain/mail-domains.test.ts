import { expect, test } from "vitest";
import type { DomainState } from "./domain-standing.ts";
import { mailDomains } from "./mail-domains.ts";

const held = new Map<string, DomainState>([
  ["proven.example", "proven"],
  ["failing.example", "failing"],
  ["suspended.example", "suspended"],
  ["closed.example", "closed"],
  ["xn--bcher-kva.example", "suspended"],
]);
const domains = mailDomains(["kauke.test"], {
  find: (domain) => {
    const state = held.get(domain);
    return state === undefined ? null : { id: domain, userId: "ann", state };
  },
  ofAccount: () => [],
});

test.each([
  ["ann", "kauke.test", null],
  ["ann", "proven.example", null],
  ["ann", "failing.example", null],
  ["ann", "suspended.example", "domain_suspended"],
  ["ann", "BÜCHER.example", "domain_suspended"],
  ["ann", "closed.example", "domain_closed"],
  ["ann", "foreign.example", "domain_lost"],
  ["bob", "proven.example", "domain_lost"],
  ["bob", "suspended.example", "domain_lost"],
  [null, "proven.example", "domain_lost"],
  [null, "kauke.test", null],
] as const)("from an alias of %s on %s: %s", (userId, domain, refusal) => {
  expect(domains.whyNotSending(userId, domain)).toBe(refusal);
});
