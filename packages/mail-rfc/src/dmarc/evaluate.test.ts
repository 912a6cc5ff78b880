/** Which policy applies to an author's domain, and which domains are aligned with it. */
import { describe, expect, it, test } from "vitest";
import { comparableDomain, DmarcEvaluation } from "./evaluate.ts";

type Zone = Record<string, string[] | "fails">;

/** @returns an evaluation, and the names it looks up */
function evaluationOf(author: string, zone: Zone, hosts: readonly string[] = []) {
  const asked: string[] = [];
  const evaluation = new DmarcEvaluation(author, {
    txt: async (name) => {
      asked.push(name.replace("_dmarc.", ""));
      const records = zone[name.replace("_dmarc.", "")] ?? [];
      if (records === "fails") throw new Error("fails");
      return records;
    },
    exists: async (name) => {
      if (zone[name] === "fails") throw new Error("fails");
      return hosts.includes(name);
    },
  });
  return { evaluation, asked };
}

const resultOf = async (author: string, zone: Zone, { spf = [] as string[], dkim = [] as string[] } = {}) =>
  evaluationOf(author, zone).evaluation.evaluate({ spf, dkim });
const policyOf = async (author: string, zone: Zone, hosts: readonly string[] = []) => {
  const found = await evaluationOf(author, zone, hosts).evaluation.evaluate({ spf: [], dkim: [] });
  return `${found.result} ${found.policy}`;
};

describe("the policy", () => {
  it.each<[string, Zone, string]>([
    ["a.example", { "a.example": ["v=DMARC1; p=reject; sp=none"] }, "fail reject"],
    ["b.a.example", { "a.example": ["v=DMARC1; p=reject; sp=quarantine"] }, "fail quarantine"],
    ["b.a.example", { "a.example": ["v=DMARC1; p=reject"] }, "fail reject"],
    ["b.a.example", { "a.example": ["v=DMARC1; p=reject"], "b.a.example": ["v=DMARC1; p=none"] }, "fail none"],
    ["a.example", { "a.example": ["v=DMARC1; p=reject; t=y"] }, "fail quarantine"],
    ["a.example", { "a.example": ["v=DMARC1; p=odd; rua=mailto:a@b.example"] }, "fail none"],
    ["a.example", { "a.example": ["v=DMARC1; p=odd"] }, "none null"],
    ["a.example", { "a.example": ["v=DMARC1; p=reject", "v=DMARC1; p=none"] }, "none null"],
    ["a.example", { "a.example": ["v=spf1 -all", "v=DMARC1; p=reject"] }, "fail reject"],
    ["a.example", { "a.example": ["p=reject; v=DMARC1"] }, "none null"],
    ["a.example", { "a.example": "fails" }, "temperror null"],
    ["b.a.example", { "b.a.example": ["v=DMARC1; p=reject"], "a.example": "fails" }, "fail reject"],
    ["a.bank.example", { "bank.example": ["v=DMARC1; p=none; psd=y; sp=reject"] }, "fail reject"],
    ["[192.0.2.1]", { "[192.0.2.1]": ["v=DMARC1; p=reject"] }, "none null"],
    ["a b.example", { "a b.example": ["v=DMARC1; p=reject"] }, "none null"],
    ["", {}, "none null"],
  ])("of %j with %j is: %s", async (author, zone, expected) => {
    expect(await policyOf(author, zone)).toBe(expected);
  });

  it("of a subdomain that does not exist may be its own; the weaker one holds while that can't be looked up", async () => {
    const zone: Zone = { "a.example": ["v=DMARC1; p=none; sp=quarantine; np=reject"] };
    expect(await policyOf("b.a.example", zone, ["b.a.example"])).toBe("fail quarantine");
    expect(await policyOf("b.a.example", zone)).toBe("fail reject");
    const { evaluation } = evaluationOf("b.a.example", zone);
    expect(await evaluation.evaluate({ spf: [], dkim: ["a.example"] })).toMatchObject({ result: "pass" });
  });
});

describe("alignment", () => {
  const zone: Zone = { "a.example": ["v=DMARC1; p=reject; aspf=s"], "own.a.example": ["v=DMARC1; p=none; psd=n"] };

  it.each<[string, { spf?: string[]; dkim?: string[] }, string]>([
    ["the same domain", { spf: ["A.Example."] }, "pass"],
    ["a subdomain, strict", { spf: ["b.a.example"] }, "fail"],
    ["a subdomain, relaxed", { dkim: ["b.a.example"] }, "pass"],
    ["a subdomain that is an organization of its own", { dkim: ["own.a.example"] }, "fail"],
    ["another domain", { dkim: ["example", "xa.example", "b.example"] }, "fail"],
    ["nothing", {}, "fail"],
    ["an empty name", { spf: ["", "."] }, "fail"],
  ])("of %s", async (_, vouchers, expected) => {
    expect((await resultOf("a.example", zone, vouchers)).result).toBe(expected);
  });

  it("is unknown while a look-up that decides it fails", async () => {
    const failing: Zone = { "a.example": ["v=DMARC1; p=reject"], "b.a.example": "fails" };
    expect((await resultOf("a.example", failing, { dkim: ["b.a.example"] })).result).toBe("temperror");
    expect((await resultOf("a.example", failing, { dkim: ["b.a.example", "a.example"] })).result).toBe("pass");
  });
});

test("a walk makes at most eight queries, and many domains at most ten walks", async () => {
  const zone: Zone = { "z.example": ["v=DMARC1; p=reject"] };
  const author = `${"a.".repeat(40)}z.example`;
  const { evaluation, asked } = evaluationOf(author, zone);
  await evaluation.evaluate({ spf: [], dkim: [] });
  expect(asked).toHaveLength(8);
  const dkim = Array.from({ length: 500 }, (_, at) => `${"b.".repeat(40)}x${at}.y.z.example`);
  const found = await evaluation.evaluate({ spf: [], dkim });
  expect(found.result).toBe("pass");
  const strangers = dkim.map((domain) => `${domain}.q.example`);
  await evaluation.evaluate({ spf: [], dkim: strangers });
  expect(asked.length).toBeLessThanOrEqual(8 * 12);
});

test("domains are compared in A-labels and lower case, without the root dot", () => {
  expect(comparableDomain(" BÜCHER.Example.. ")).toBe("xn--bcher-kva.example");
});
