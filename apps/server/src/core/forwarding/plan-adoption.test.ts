import { limits } from "@kauke/contract";
import { expect, it } from "vitest";
import { domainsOf } from "../domain/mail-domains.testing.ts";
import { type AdoptionRules, planAdoption } from "./plan-adoption.ts";
import type { ProviderCopy } from "./provider-account.ts";

const copy = (address: string, fields: Partial<ProviderCopy> = {}): ProviderCopy => ({
  providerId: `id of ${address}`,
  address,
  recipients: ["ann@mailbox.example"],
  isEnabled: true,
  codeIfDisabled: 250,
  aliasId: null,
  ...fields,
});
const rules: AdoptionRules = {
  mailDomains: domainsOf(["kauke.example"]),
  standing: new Map([
    ["mine@kauke.example", { kind: "own", notes: null }],
    ["theirs@kauke.example", { kind: "other" }],
  ]),
  blocked: new Set(["blocked@mailbox.example"]),
  room: 10,
};
const refusalOf = (one: ProviderCopy) => planAdoption([one], rules)[0]?.refusal;

it("an alias is adopted with the same destinations, active or paused", () => {
  const recipients = ["ann@mailbox.example", "https://hook.example/in"];
  const planned = planAdoption(
    [copy("shop@kauke.example", { recipients }), copy("off@kauke.example", { isEnabled: false })],
    rules,
  );
  expect(planned).toMatchObject([
    { refusal: null, remark: null, destinations: [{ kind: "mailbox" }, { kind: "webhook", url: recipients[1] }] },
    { refusal: null, remark: null },
  ]);
});

it.each([
  ["*@kauke.example", {}, "catch-all"],
  ["/^(a|b)$/@kauke.example", {}, "regular expression"],
  ["shop@elsewhere.example", {}, "KAUKE_DOMAINS"],
  ["a b@kauke.example", {}, "characters"],
  ["postmaster@kauke.example", {}, "reserved"],
  ["mine@kauke.example", {}, "has it already"],
  ["theirs@kauke.example", {}, "Another account"],
  ["none@kauke.example", { recipients: [] }, "forwards nowhere"],
  ["stored@kauke.example", { hasImap: true }, "stores mail"],
  ["ip@kauke.example", { recipients: ["ann@mailbox.example", "192.0.2.1"] }, "neither a mailbox nor a webhook"],
  ["own@kauke.example", { recipients: ["other@kauke.example"] }, "address of this server"],
  ["blocked@kauke.example", { recipients: ["Blocked@mailbox.example"] }, "wants no mail"],
  [
    "many@kauke.example",
    { recipients: Array.from({ length: limits.destinationsMax + 1 }, (_, at) => `m${at}@mailbox.example`) },
    "destinations at most",
  ],
])("%s is left alone: %j", (address, fields, reason) => {
  expect(refusalOf(copy(address, fields))).toContain(reason);
});

it("an alias that refuses mail there is adopted paused, and that is said", () => {
  const [planned] = planAdoption([copy("off@kauke.example", { isEnabled: false, codeIfDisabled: 550 })], rules);
  expect(planned).toMatchObject({ refusal: null, remark: expect.stringContaining("550") });
});

it("an account gets no more aliases than it may have, and refused ones take no room", () => {
  const copies = ["a", "*", "b", "c"].map((name) => copy(`${name}@kauke.example`));
  const planned = planAdoption(copies, { ...rules, room: 2 });
  expect(planned.map(({ refusal }) => refusal === null)).toEqual([true, false, true, false]);
  expect(planned[3]?.refusal).toContain("aliases at most");
});
