import { expect, it, vi } from "vitest";
import { bounds } from "../../limits/table.ts";
import { makeSelfSigned } from "../self-signed.ts";
import { policyContexts, policyDomainOf } from "./policy-contexts.ts";

const now = new Date();
const pair = makeSelfSigned({
  commonName: "own",
  hosts: ["mta-sts.own.example"],
  notBefore: now,
  notAfter: new Date(now.getTime() + 86_400_000),
});

function contexts({ has = () => true }: { has?: () => boolean } = {}) {
  let nowMs = 0;
  const read = vi.fn(async () => (has() ? pair : null));
  const provenDomains = {
    find: (domain: string) =>
      domain.endsWith(".example") || domain === "own.example"
        ? { id: domain, userId: domain, state: "proven" as const, hasPolicyHost: !domain.startsWith("bare") }
        : null,
  };
  const recordsOf = () => ({ read, write: async () => {}, delete: async () => {} });
  const find = policyContexts({ provenDomains, policyCertificates: { recordsOf }, nowMs: () => nowMs });
  return { find, read, provenDomains, advance: (ms: number) => (nowMs += ms) };
}

it("only a policy host that leads here has a certificate of its own, in any spelling", async () => {
  const { find, read, provenDomains } = contexts();
  expect(await find("MTA-STS.Own.example")).not.toBeNull();
  for (const name of ["own.example", "mta-sts.bare.example", "mta-sts.other.test", "mta-sts.", ""])
    expect(find(name)).toBeNull();
  expect(read).toHaveBeenCalledTimes(1);
  expect(policyDomainOf({ provenDomains }, "mta-sts.own.example.")?.id).toBe("own.example");
});

it("one that is open stays so for minutes, one that is not there yet is looked for soon", async () => {
  let isThere = false;
  const { find, read, advance } = contexts({ has: () => isThere });
  expect(await find("mta-sts.own.example")).toBeNull();
  isThere = true;
  expect(await find("mta-sts.own.example")).toBeNull();
  advance(bounds.policyCertificates.absentMs + 1);
  const first = await find("mta-sts.own.example");
  expect(first).not.toBeNull();
  advance(bounds.policyCertificates.openedMs - 1);
  expect(await find("mta-sts.own.example")).toBe(first);
  advance(2);
  expect(await find("mta-sts.own.example")).not.toBe(first);
  expect(read).toHaveBeenCalledTimes(3);
});

it("few stay open, however many names strangers ask for", async () => {
  const { find, read } = contexts();
  const { opened } = bounds.policyCertificates;
  for (let index = 0; index <= opened; index++) await find(`mta-sts.d${index}.example`);
  await find(`mta-sts.d${opened}.example`);
  expect(read).toHaveBeenCalledTimes(opened + 1);
  await find("mta-sts.d0.example");
  expect(read).toHaveBeenCalledTimes(opened + 2);
});

it("a failed read is repeated", async () => {
  const { find, read } = contexts();
  read.mockRejectedValueOnce(new Error("database"));
  await expect(find("mta-sts.own.example")).rejects.toThrow();
  expect(await find("mta-sts.own.example")).not.toBeNull();
});
