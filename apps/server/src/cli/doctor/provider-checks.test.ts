import { expect, it } from "vitest";
import type { ProviderDomain } from "../../core/forwarding/provider-account.ts";
import type { ProviderState } from "../control/provider-reports.ts";
import { checkProvider, explainLeftOut } from "./provider-checks.ts";

const domain = "kauke.example";
const found: ProviderDomain = {
  domain,
  isShared: false,
  hasCatchAll: false,
  hasMxRecord: true,
  hasTxtRecord: true,
  verificationRecord: "a1B2",
  maySend: true,
  isSendingSuspended: false,
};
const state: ProviderState = {
  name: "Forward Email",
  url: "https://api.forwardemail.net/",
  problem: null,
  standing: { plan: "team", sending: { count: 3, limit: 300 } },
  domains: [{ domain, found, operators: [] }],
  isPostmasterGiven: true,
  unpushed: 0,
  figures: { waiting: 0, failed: 0, held: 0, last: { at: "2026-03-01T12:00:00.000Z", differences: 0 } },
  forEngine: 0,
};
const statesOf = (changed: Partial<ProviderState>) =>
  checkProvider({ ...state, ...changed }).filter(({ state: is }) => is !== "ok");
const withDomain = (changed: Partial<ProviderDomain>) =>
  statesOf({ domains: [{ domain, found: { ...found, ...changed }, operators: [] }] });

it("an account and a domain that are right have nothing to fix", () => {
  expect(statesOf({})).toEqual([]);
  expect(checkProvider(null)).toEqual([]);
});

it.each([
  ["a refused key", { problem: "key_refused", standing: null, domains: [] }, "fix", "API key"],
  [
    "an address that calls may not reach",
    { problem: "unreachable", standing: null, domains: [] },
    "fix",
    "KAUKE_WEBHOOK_ALLOW",
  ],
  ["the plan free", { standing: { plan: "free", sending: null } }, "fix", "plan free"],
  [
    "nearly all messages sent",
    { standing: { plan: "team", sending: { count: 290, limit: 300 } } },
    "warn",
    "290 of 300",
  ],
  ["a domain that is not there", { domains: [{ domain, found: null, operators: [] }] }, "fix", "kauke setup"],
  [
    "mail that our own engine accepted",
    { forEngine: 2 },
    "warn",
    "2 queued deliveries wait for this server's own engine",
  ],
  ["aliases from before the provider was in use", { unpushed: 7 }, "warn", "7; run `kauke provider push --yes`"],
  ["failed aliases", { figures: { ...state.figures, waiting: 1, failed: 2 } }, "warn", "2 could not"],
  [
    "differences",
    { figures: { ...state.figures, last: { at: "2026-03-01T12:00:00.000Z", differences: 4 } } },
    "warn",
    "4 differences",
  ],
] satisfies [string, Partial<ProviderState>, string, string][])("%s", (_, changed, expected, says) => {
  expect(statesOf(changed)).toMatchObject([{ state: expected, says: expect.stringContaining(says) }]);
});

it.each([
  ["a shared domain", { isShared: true }, "fix", "shares this domain"],
  ["a catch-all", { hasCatchAll: true }, "fix", "catch-all"],
  ["no MX record", { hasMxRecord: false }, "fix", "MX record is not right"],
  ["neither record", { hasMxRecord: false, hasTxtRecord: false }, "fix", "MX and TXT records are not right"],
  ["sending that awaits approval", { maySend: false }, "warn", "Until then all mail waits"],
  ["suspended sending", { isSendingSuspended: true }, "fix", "suspended"],
] satisfies [string, Partial<ProviderDomain>, string, string][])("a domain with %s", (_, changed, expected, says) => {
  expect(withDomain(changed)).toMatchObject([{ state: expected, says: expect.stringContaining(says) }]);
});

it.each([
  ["missing", true, "Mail to abuse@kauke.example is refused: `kauke provider repair --yes`"],
  ["missing", false, "set KAUKE_POSTMASTER"],
  ["stale", true, "not KAUKE_POSTMASTER: `kauke provider repair --yes`"],
] as const)("abuse@ that is %s", (is, isPostmasterGiven, says) => {
  const operators = [
    { address: `postmaster@${domain}`, state: "other" as const },
    { address: `abuse@${domain}`, state: is },
  ];
  expect(statesOf({ domains: [{ domain, found, operators }], isPostmasterGiven })).toMatchObject([
    { state: "warn", says: expect.stringContaining(says) },
  ]);
});

it("what is not checked with a provider is said in one line", () => {
  expect(explainLeftOut(state)).toMatchObject({ state: "ok", says: expect.stringContaining("Forward Email receives") });
});
