import { createFakeDns, type FakeDnsZone } from "@kauke/testkit/fakes/fake-dns";
import { describe, expect, test } from "vitest";
import { parseAllowList } from "./address-guard.ts";
import { findMailHosts, type MailHostRules } from "./direct-transport.ts";

async function look(zone: FakeDnsZone, domain = "to.example", changes: Partial<MailHostRules> = {}) {
  const found = await findMailHosts(domain, {
    resolver: createFakeDns(zone),
    allow: parseAllowList([]),
    port: 25,
    ownName: "mail.kauke.test",
    random: () => 0.5,
    ...changes,
  });
  if (found.kind === "hosts") return found.hosts.map(({ name, address }) => `${name} ${address}`);
  if (found.outcome.kind === "taken") return "taken";
  return `${found.outcome.kind} ${found.outcome.failure.code} ${found.outcome.failure.enhancedStatus}`;
}

describe("finding the hosts of a domain", () => {
  test("sorts by preference, IPv4 before IPv6, with at most two addresses per host", async () => {
    const zone = {
      "to.example": {
        mx: [
          [20, "b.example"],
          [10, "A.example."],
        ] as const,
      },
      "a.example": { a: ["8.8.8.8", "8.8.4.4"], aaaa: ["2606:4700::1"] },
      "b.example": { aaaa: ["2606:4700::2"] },
    };
    expect(await look(zone)).toEqual(["a.example 8.8.8.8", "a.example 2606:4700::1", "b.example 2606:4700::2"]);
  });

  test("a first host with many addresses does not displace the backup hosts", async () => {
    const wide = (net: number) => ({ a: [1, 2, 3, 4, 5].map((host) => `8.8.${net}.${host}`) });
    const names = ["a.example", "b.example", "c.example"];
    const zone = {
      "to.example": { mx: names.map((name, index) => [index, name] as const) },
      ...Object.fromEntries(names.map((name, index) => [name, wide(index)])),
    };
    expect(await look(zone)).toEqual(
      names.flatMap((name, index) => [1, 2].map((host) => `${name} 8.8.${index}.${host}`)),
    );
  });

  test("hosts of equal preference come in random order", async () => {
    const zone = {
      "to.example": {
        mx: [
          [5, "a.example"],
          [5, "b.example"],
        ] as const,
      },
      "a.example": { a: ["8.8.8.8"] },
      "b.example": { a: ["8.8.4.4"] },
    };
    const lots = (values: number[]) => ({ random: () => values.shift() ?? 0 });
    expect(await look(zone, undefined, lots([0.1, 0.9]))).toEqual(["a.example 8.8.8.8", "b.example 8.8.4.4"]);
    expect(await look(zone, undefined, lots([0.9, 0.1]))).toEqual(["b.example 8.8.4.4", "a.example 8.8.8.8"]);
  });

  test("a domain without MX is its own mail host; an international domain is looked up in ASCII", async () => {
    expect(await look({ "to.example": { a: ["8.8.8.8"] } })).toEqual(["to.example 8.8.8.8"]);
    expect(await look({ "xn--bcher-kva.example": { a: ["8.8.8.8"] } }, "bücher.example")).toEqual([
      "xn--bcher-kva.example 8.8.8.8",
    ]);
  });

  test("a host that can't be resolved is skipped", async () => {
    const zone = {
      "to.example": {
        mx: [
          [1, "gone.example"],
          [2, "b.example"],
        ] as const,
      },
      "b.example": { a: ["8.8.8.8"] },
    };
    expect(await look(zone)).toEqual(["b.example 8.8.8.8"]);
  });

  test.each<[string, FakeDnsZone, string]>([
    ["a name that doesn't exist", {}, "refused no_mail_host 5.1.2"],
    ["the null MX", { "to.example": { mx: [[0, ""]] } }, "refused no_mail_host 5.1.10"],
    ["a domain without any address", { "to.example": {} }, "refused no_mail_host 5.4.4"],
    ["MX hosts that don't exist", { "to.example": { mx: [[1, "gone.example"]] } }, "refused no_mail_host 5.4.4"],
    ["a DNS that fails", { "to.example": { fails: true } }, "deferred dns_failed 4.4.3"],
    [
      "a DNS failure for the only host",
      { "to.example": { mx: [[1, "mx.example"]] }, "mx.example": { fails: true } },
      "deferred dns_failed 4.4.3",
    ],
    [
      "an MX with an internal address",
      { "to.example": { mx: [[1, "mx.example"]] }, "mx.example": { a: ["10.0.0.1"] } },
      "refused address_not_allowed 5.4.4",
    ],
    [
      "an MX with one public and one private address",
      { "to.example": { mx: [[1, "mx.example"]] }, "mx.example": { a: ["8.8.8.8"], aaaa: ["::1"] } },
      "refused address_not_allowed 5.4.4",
    ],
    ["an MX that is ourselves", { "to.example": { mx: [[1, "Mail.Kauke.test."]] } }, "refused refused_by_policy 5.4.6"],
  ])("%s", async (_, zone, expected) => {
    expect(await look(zone)).toBe(expected);
  });

  test("hosts not preferred over this server are left out", async () => {
    const zone = {
      "to.example": {
        mx: [
          [5, "a.example"],
          [10, "mail.kauke.test"],
          [20, "b.example"],
        ] as const,
      },
      "a.example": { a: ["8.8.8.8"] },
      "b.example": { a: ["8.8.4.4"] },
    };
    expect(await look(zone)).toEqual(["a.example 8.8.8.8"]);
  });

  test("address literals are not accepted as domains", async () => {
    for (const domain of ["[127.0.0.1]", "127.0.0.1", "[IPv6:::1]", ""])
      expect(await look({}, domain)).toBe("refused no_mail_host 5.1.2");
  });

  test("the operator's allow-list applies to mail hosts too", async () => {
    const zone = { "to.example": { a: ["10.0.0.1"] } };
    for (const entry of ["10.0.0.0/8", "to.example", "10.0.0.1:25"])
      expect(await look(zone, undefined, { allow: parseAllowList([entry]) })).toEqual(["to.example 10.0.0.1"]);
  });
});
