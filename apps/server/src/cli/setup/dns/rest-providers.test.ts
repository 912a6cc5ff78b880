import { type DnsRecord, zoneData } from "@kauke/mail-rfc";
import { FakeDnsHost, type HostedRecord } from "@kauke/testkit/fakes/fake-dns-host";
import { describe, expect, it } from "vitest";
import { cloudflareDns } from "./cloudflare.ts";
import { desecDns } from "./desec.ts";
import { hetznerDns } from "./hetzner.ts";
import { type Change, type DnsProvider, DnsProviderError } from "./provider.ts";
import { applyInOrder, changesOf, decideRecords } from "./record-changes.ts";
import type { RestOptions } from "./rest-api.ts";

const zone = "kauke.example";
const text = (name: string, value: string) => ({ type: "TXT" as const, name, text: value });
const wanted: DnsRecord[] = [
  { type: "A", name: `mail.${zone}`, address: "192.0.2.1" },
  { type: "AAAA", name: `mail.${zone}`, address: "2001:db8::1" },
  { type: "MX", name: zone, preference: 10, exchange: `mail.${zone}` },
  text(zone, `v=spf1 a:mail.${zone} -all`),
  text(`k1._domainkey.${zone}`, `v=DKIM1; k=rsa; p=${"MIIB".repeat(100)}`),
  text(`_mta-sts.${zone}`, "v=STSv1; id=0123456789abcdef0123"),
  { type: "CNAME", name: `smtp.${zone}`, target: `mail.${zone}` },
  text("_dmarc.second.example", "v=DMARC1; p=reject; adkim=r; aspf=r"),
];
const names = [...new Set(wanted.map(({ name }) => name))];
const others: HostedRecord[] = [
  { name: zone, type: "NS", data: "ns.host.example." },
  { name: zone, type: "TXT", data: '"site-verification=1"' },
  { name: zone, type: "TXT", data: '"other \\"quoted\\" text"' },
  { name: zone, type: "TXT", data: '"third"' },
  { name: zone, type: "CAA", data: '0 issue "ca.example"' },
  { name: `www.${zone}`, type: "A", data: "192.0.2.80" },
  { name: "other.example", type: "A", data: "192.0.2.81" },
];
const old: HostedRecord = { name: `_mta-sts.${zone}`, type: "TXT", data: '"v=STSv1; id=ffffffffffffffffffff"' };
const line = ({ name, type, data }: HostedRecord) => `${name} ${type} ${data}`;
const wantedLines = wanted.map((record) => `${record.name} ${record.type} ${zoneData(record)}`);

const hosts = { cloudflare: cloudflareDns, desec: desecDns, hetzner: hetznerDns } as const;
const pollMs = 1;

async function planned(provider: DnsProvider): Promise<Change[]> {
  const existing = await provider.read(names);
  return changesOf(decideRecords(wanted, existing), existing);
}

describe.each(Object.keys(hosts) as (keyof typeof hosts)[])("%s", (name) => {
  const zones = ["other.example", zone, "second.example"];
  const start = () => FakeDnsHost.start(name, zones, [...others, old]);
  const providerOf = (host: FakeDnsHost, options: Partial<RestOptions> = {}) =>
    hosts[name]({ token: host.token, baseUrl: host.url, pollMs, ...options } as RestOptions);

  it("has the records afterwards, beside those of others, and a second run changes nothing", async () => {
    await using host = await start();
    const provider = providerOf(host);
    const changes = await planned(provider);
    expect(await provider.apply(changes)).toEqual({ done: changes, left: [] });
    expect(host.lines()).toEqual([...others.map(line), ...wantedLines].toSorted());
    expect(await planned(provider)).toEqual([]);
  });

  it("a wrong token is refused, and its text is in no error", async () => {
    await using host = await start();
    for (const token of ["wrong-token", "wrong\r\ntoken", "wrong–token"]) {
      const error: unknown = await providerOf(host, { token })
        .read(names)
        .catch((failure: unknown) => failure);
      expect(error).toMatchObject({ code: "unauthorized" });
      expect(error).toBeInstanceOf(DnsProviderError);
      expect(`${(error as Error).stack} ${JSON.stringify(error)} ${String((error as Error).cause)}`).not.toMatch(
        /token|ann@/,
      );
    }
    const change: Change = { name: zone, type: "TXT", found: [], remove: [], add: [text(zone, "x")] };
    const { done, left } = await providerOf(host, { token: "wrong-token" }).apply([change, change]);
    expect([done, left.map(({ problem }) => problem)]).toEqual([[], ["unauthorized", "unauthorized"]]);
    expect(host.lines()).toEqual([...others, old].map(line).toSorted());
  });

  it("a name outside its zones is unknown, and the rest is done", async () => {
    await using host = await start();
    const provider = providerOf(host);
    await expect(provider.read(["xkauke.example"])).rejects.toMatchObject({ code: "zone_unknown" });
    const change = (at: string): Change => ({ name: at, type: "TXT", found: [], remove: [], add: [text(at, "x")] });
    const { done, left } = await provider.apply([change("a.elsewhere.example"), change(`a.${zone}`)]);
    expect(done.map((one) => one.name)).toEqual([`a.${zone}`]);
    expect(left).toMatchObject([{ name: "a.elsewhere.example", problem: "zone_unknown" }]);
  });

  it("a refused change is left, and the summary has every change once", async () => {
    await using host = await start();
    const provider = providerOf(host);
    const changes = await planned(provider);
    host.refusedName = `smtp.${zone}`;
    const { done, left } = await provider.apply(changes);
    expect(new Set([...done, ...left].map((one) => `${one.name} ${one.type}`)).size).toBe(changes.length);
    expect(done.length + left.length).toBe(changes.length);
    expect(left.every(({ problem }) => problem === "refused")).toBe(true);
    // deSEC takes all changes of a zone or none.
    expect(left.map((one) => one.name)).toEqual(
      name === "desec" ? changes.map((one) => one.name).filter((one) => one.endsWith(zone)) : [`smtp.${zone}`],
    );
    const missing = left.flatMap(({ add }) => add).map((record) => `${record.name} ${record.type} ${zoneData(record)}`);
    expect(wantedLines.filter((one) => !host.lines().includes(one))).toEqual(missing);
    expect(others.map(line).filter((one) => !host.lines().includes(one))).toEqual([]);
    host.refusedName = null;
    expect(await provider.apply(await planned(provider))).toMatchObject({ left: [] });
    expect(host.lines()).toEqual([...others.map(line), ...wantedLines].toSorted());
  });

  it("where the MX is refused, no policy is written, but keys are", async () => {
    await using host = await start();
    const provider = providerOf(host);
    host.refusedName = zone;
    const { done, left } = await applyInOrder(provider, await planned(provider));
    const problemAt = (at: string) => left.find((one) => one.name === at && one.type === "TXT")?.problem;
    expect([problemAt(zone), problemAt(`_mta-sts.${zone}`)]).toEqual(["mail_elsewhere", "mail_elsewhere"]);
    expect(done.map((one) => one.name)).toEqual(
      expect.arrayContaining([`k1._domainkey.${zone}`, "_dmarc.second.example"]),
    );
    expect(host.lines()).toEqual(expect.arrayContaining([...others, old].map(line)));
    host.refusedName = null;
    expect(await applyInOrder(provider, await planned(provider))).toMatchObject({ left: [] });
    expect(host.lines()).toEqual([...others.map(line), ...wantedLines].toSorted());
  });

  it("after a rate limit no text is tried", async () => {
    await using host = await start();
    const changes = await planned(providerOf(host));
    host.asked.length = 0;
    host.before = () => ({ status: 429, body: {} });
    const { left } = await applyInOrder(providerOf(host), changes);
    expect(left.map(({ problem }) => problem)).toEqual(changes.map(() => "rate_limited"));
    expect(host.asked).toHaveLength(1);
  });

  it("a set that somebody changed since it was read stays as they left it", async () => {
    await using host = await start();
    const provider = providerOf(host);
    const changes = await planned(provider);
    host.records.push({ name: old.name, type: "TXT", data: '"v=STSv1; id=theirs"' });
    const { left } = await provider.apply(changes);
    expect(left).toMatchObject([{ name: old.name, problem: "changed" }]);
    expect(host.lines()).toEqual(expect.arrayContaining([line(old), `${old.name} TXT "v=STSv1; id=theirs"`]));
  });

  it("after a rate limit nothing more is tried", async () => {
    await using host = await start();
    const provider = providerOf(host);
    const changes = await planned(provider);
    let writes = 0;
    host.before = ({ method }) =>
      method === "GET" || ++writes === 1 ? null : { status: 429, body: {}, headers: { "retry-after": "60" } };
    const { done, left } = await provider.apply(changes);
    expect(writes).toBe(2);
    expect(done.length).toBeGreaterThan(0);
    expect(new Set(left.map(({ problem }) => problem))).toEqual(new Set(["rate_limited"]));
    host.before = () => ({ status: 429, body: {} });
    await expect(provider.read(names)).rejects.toMatchObject({ code: "rate_limited" });
  });

  it.each([
    ["is out of order", { status: 503, body: {} }, "unreachable"],
    [
      "redirects elsewhere",
      { status: 302, body: {}, headers: { location: "http://127.0.0.1:1/" } },
      "response_invalid",
    ],
    ["sends something else", { status: 200, body: { zones: "none" } }, "response_invalid"],
    ["sends no end", { status: 200, body: "x".repeat(5_000_000) }, "response_invalid"],
  ])("that %s", async (_, response, code) => {
    await using host = await start();
    host.before = () => response;
    await expect(providerOf(host).read(names)).rejects.toMatchObject({ code });
  });

  it("that is silent is given up, and by the signal at once", async () => {
    await using host = await start();
    host.isSilent = true;
    await expect(providerOf(host, { deadlineMs: 50 }).read(names)).rejects.toMatchObject({ code: "unreachable" });
    const { left } = await providerOf(host).apply(
      [{ name: zone, type: "TXT", found: [], remove: [], add: [] }],
      AbortSignal.timeout(50),
    );
    expect(left).toMatchObject([{ problem: "aborted" }]);
  });
});
