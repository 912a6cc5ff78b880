import { generateKeyPairSync } from "node:crypto";
import { type DnsRecord, publicDkimKey } from "@kauke/mail-rfc";
import { createFakeDns, type FakeDnsName, type FakeDnsZone } from "@kauke/testkit/fakes/fake-dns";
import { describe, expect, it } from "vitest";
import type { ServerFacts } from "../control/control-protocol.ts";
import { dnsPlan } from "../dns-plan.ts";
import type { CheckResult } from "./check-result.ts";
import { checkDns } from "./run-doctor.ts";

const domain = "kauke.example";
const address = "9.18.27.36";
const address6 = "2600:9000::5";
const key = (algorithm: "rsa-sha256" | "ed25519-sha256", selector: string) => {
  const { privateKey } =
    algorithm === "rsa-sha256" ? generateKeyPairSync("rsa", { modulusLength: 2048 }) : generateKeyPairSync("ed25519");
  return publicDkimKey({ domain, selector, algorithm, privateKey });
};
const dkim = [key("rsa-sha256", "k1"), key("ed25519-sha256", "k2")];
const facts = {
  domains: [domain],
  mailHost: `mail.${domain}`,
  delivery: "direct",
  provider: null,
  publicUrl: "https://www.kauke.example",
  publicUrlGiven: true,
  ownCertificate: true,
  dkim,
  dmarcReports: null,
  pop3sPort: 995,
} as unknown as ServerFacts;
const { policy } = dnsPlan(facts);

/** A zone with exactly the records that `kauke domains` prints, including those in comments. */
function rightZone(): Record<string, FakeDnsName> {
  const zone: Record<string, FakeDnsName> = {};
  const plan = dnsPlan(facts);
  for (const record of plan.domains.flatMap(({ records }) => records)) add(zone, record);
  const found = { a: [address], aaaa: [address6] };
  const [own] = plan.mailHostRecords;
  Object.assign(zone, {
    [`mail.${domain}`]: { ...found, txt: own?.type === "TXT" ? [own.text] : [] },
    [`smtp.${domain}`]: found,
    [`mta-sts.${domain}`]: { a: ["9.1.1.1"] },
    [`autoconfig.${domain}`]: { a: ["9.1.1.1"] },
    [`autodiscover.${domain}`]: { aaaa: ["2600::1"] },
  });
  zone["36.27.18.9.in-addr.arpa"] = { ptr: [`mail.${domain}`] };
  zone[`5.${"0.".repeat(23)}0.0.0.9.0.0.6.2.ip6.arpa`] = { ptr: [`Mail.Kauke.Example`] };
  return zone;
}

function add(zone: Record<string, FakeDnsName>, record: DnsRecord): void {
  const entry = (zone[record.name] ??= {});
  if (record.type === "MX") zone[record.name] = { ...entry, mx: [[record.preference, record.exchange]] };
  if (record.type === "TXT") zone[record.name] = { ...entry, txt: [...(entry.txt ?? []), record.text] };
}

interface Change {
  zone?: FakeDnsZone;
  facts?: Partial<ServerFacts>;
  served?: string | null;
}

async function check({ zone = {}, facts: changed = {}, served = policy }: Change = {}): Promise<CheckResult[]> {
  const resolver = createFakeDns({ ...rightZone(), ...zone });
  return checkDns({ ...facts, ...changed } as ServerFacts, { resolver, fetchPolicy: async () => served });
}

const notOk = (results: readonly CheckResult[]) =>
  results.filter((it) => it.state !== "ok").map((it) => `${it.state} ${it.check} ${it.subject}`);

it("doctor accepts a zone with the records that `kauke domains` prints", async () => {
  const results = await check();
  expect(notOk(results)).toEqual([]);
  const checks = "address reverse-name mx spf dkim dmarc mta-sts tls-reports mail-programs".split(" ");
  expect(new Set(results.map((it) => it.check))).toEqual(new Set(checks));
  expect(results.filter((it) => it.check === "dkim")).toHaveLength(2);
});

it("no DNS query is sent while no mail leaves the machine", async () => {
  const resolver = createFakeDns();
  const preview = { ...facts, delivery: "preview" } as ServerFacts;
  expect(await checkDns(preview, { resolver, fetchPolicy: async () => null })).toEqual([]);
  expect(resolver.questions).toEqual([]);
});

describe("doctor finds", () => {
  const spf = (...txt: string[]) => ({ zone: { [domain]: { mx: [[10, `mail.${domain}`]] as const, txt } } });
  const txt = (name: string, ...texts: string[]) => ({ zone: { [name]: { txt: texts } } });
  const cases: readonly [string, Change, readonly string[]][] = [
    ["a missing MX and SPF", { zone: { [domain]: {} } }, [`fix mx ${domain}`, `fix spf ${domain}`]],
    [
      "an MX record for another host",
      { zone: { [domain]: { mx: [[5, "mx.other.example"]], txt: [`v=spf1 a:mail.${domain} -all`] } } },
      [`fix mx ${domain}`],
    ],
    [
      "an MX record for a second host",
      {
        zone: {
          [domain]: {
            mx: [
              [5, "mx.other.example"],
              [10, `mail.${domain}.`],
            ],
            txt: ["v=spf1 mx a:mail.kauke.example -all"],
          },
        },
      },
      [`warn mx ${domain}`],
    ],
    ["an SPF record of other addresses", spf("v=spf1 ip4:9.9.9.9 -all"), [`fix spf ${domain}`]],
    ["an SPF record for IPv4 only", spf(`v=spf1 ip4:${address} -all`), [`fix spf ${domain}`]],
    ["two SPF records", spf("v=spf1 mx -all", "v=spf1 a -all"), [`fix spf ${domain}`]],
    ["an SPF record for everybody", spf("v=spf1 +all"), [`fix spf ${domain}`]],
    ["a foreign TXT record is none", spf("v=spf10 x", "other", `v=spf1 mx -all`), []],
    [
      "an SPF record by include is fine",
      {
        zone: {
          ...spf("v=spf1 include:_s.example -all").zone,
          "_s.example": { txt: [`v=spf1 ip4:${address} ip6:${address6} -all`] },
        },
      },
      [],
    ],
    [
      "a mail host without SPF of its own",
      { zone: { [`mail.${domain}`]: { a: [address], aaaa: [address6] } } },
      [`fix spf mail.${domain}`],
    ],
    ["a missing key", { zone: { [`k1._domainkey.${domain}`]: {} } }, [`fix dkim k1._domainkey.${domain}`]],
    ["another key", txt(`k1._domainkey.${domain}`, dkim[1]?.text ?? ""), [`fix dkim k1._domainkey.${domain}`]],
    [
      "two keys under one name",
      txt(`k2._domainkey.${domain}`, dkim[1]?.text ?? "", "v=DKIM1; p="),
      [`fix dkim k2._domainkey.${domain}`],
    ],
    ["no DMARC", txt(`_dmarc.${domain}`, "something"), [`fix dmarc ${domain}`]],
    ["a weak DMARC", txt(`_dmarc.${domain}`, "v=DMARC1; p=none"), [`warn dmarc ${domain}`]],
    ["two DMARC records", txt(`_dmarc.${domain}`, "v=DMARC1; p=reject", "v=DMARC1; p=none"), [`fix dmarc ${domain}`]],
    ["no MTA-STS", { zone: { [`_mta-sts.${domain}`]: {} } }, [`warn mta-sts ${domain}`]],
    ["a policy that isn't served", { served: null }, [`fix mta-sts ${domain}`]],
    ["a policy host without an address", { zone: { [`mta-sts.${domain}`]: {} } }, [`fix mta-sts ${domain}`]],
    [
      "names of mail programs' settings that lead nowhere",
      { zone: { [`autoconfig.${domain}`]: {}, [`autodiscover.${domain}`]: {} } },
      [`warn mail-programs autoconfig.${domain}`, `warn mail-programs autodiscover.${domain}`],
    ],
    ["another policy", { served: policy.replace("enforce", "none") }, [`fix mta-sts ${domain}`]],
    ["a policy with plain line ends is the same", { served: policy.replaceAll("\r\n", "\n") }, []],
    ["an old policy id", txt(`_mta-sts.${domain}`, "v=STSv1; id=1"), [`warn mta-sts ${domain}`]],
    ["no TLS reporting", txt(`_smtp._tls.${domain}`, "v=TLSRPTv1"), [`warn tls-reports ${domain}`]],
    [
      "a reverse name of the hosting company",
      { zone: { "36.27.18.9.in-addr.arpa": { ptr: ["vm7.host.example"] } } },
      [`fix reverse-name ${address}`],
    ],
    ["no reverse name", { zone: { "36.27.18.9.in-addr.arpa": {} } }, [`fix reverse-name ${address}`]],
    [
      "a submission name that resolves to another host",
      { zone: { [`smtp.${domain}`]: { a: ["9.9.9.9"] } } },
      [`fix address smtp.${domain}`],
    ],
    ["a failing DNS", { zone: { [`_dmarc.${domain}`]: { fails: true } } }, [`fix dmarc ${domain}`]],
  ];
  it.each(cases)("%s", async (_, change, expected) => {
    expect(notOk(await check(change))).toEqual(expected);
  });

  it("a mail host without an address", async () => {
    const found = notOk(await check({ zone: { [`mail.${domain}`]: {} } }));
    expect(found).toEqual([
      `fix address mail.${domain}`,
      `fix address smtp.${domain}`,
      `fix spf mail.${domain}`,
      `warn spf ${domain}`,
    ]);
  });

  it("a mail host with a private address", async () => {
    const inner = { a: ["10.0.0.5"], txt: ["v=spf1 a -all"] };
    const zone = {
      [`mail.${domain}`]: inner,
      [`smtp.${domain}`]: inner,
      "5.0.0.10.in-addr.arpa": { ptr: [`mail.${domain}`] },
    };
    expect(notOk(await check({ zone }))).toEqual([`warn address mail.${domain}`]);
  });
});

describe("the plan for the hosts of policy and mail programs", () => {
  const led = (name: string) => `${name}.kauke.example CNAME www.kauke.example`;
  it.each([
    ["https://www.kauke.example", [led("mta-sts"), led("autoconfig"), led("autodiscover")]],
    ["https://192.0.2.1", []],
    ["https://[2001:db8::1]:8443", []],
    ["http://localhost:3000", []],
    ["https://kauke.localhost", []],
  ])("of %s is %j", (publicUrl, expected) => {
    const { aliases } = dnsPlan({ ...facts, publicUrl });
    const found = aliases.filter(({ name }) => !name.startsWith("smtp."));
    expect(found.map((it) => `${it.name} ${it.type} ${it.type === "CNAME" ? it.target : ""}`)).toEqual(expected);
  });
});

it("with a relay it says what can't be checked, and does not require a reverse name", async () => {
  const zone = { "36.27.18.9.in-addr.arpa": {} };
  const found = notOk(await check({ zone, facts: { delivery: "relay" } }));
  expect(found).toEqual([`warn reverse-name ${address}`, `warn spf ${domain}`]);
});
