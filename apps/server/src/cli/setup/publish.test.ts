/** Against Debian's Knot: what is written, what is left alone, and what the operator is told. */
import type { DnsRecord } from "@kauke/mail-rfc";
import { startFakeDnsServer } from "@kauke/testkit/fakes/fake-dns";
import { hasKnot, type Knot, startKnot } from "@kauke/testkit/programs/knot";
import { afterEach, describe, expect, it } from "vitest";
import type { DnsProvider } from "./dns/provider.ts";
import { rfc2136Dns } from "./dns/rfc2136.ts";
import { publishRecords } from "./publish.ts";

const zone = "kauke.example";
const wanted: DnsRecord[] = [
  { type: "A", name: `mail.${zone}`, address: "192.0.2.1" },
  { type: "MX", name: zone, preference: 10, exchange: `mail.${zone}` },
  { type: "TXT", name: zone, text: `v=spf1 a:mail.${zone} -all` },
  { type: "CNAME", name: `smtp.${zone}`, target: `mail.${zone}` },
];

describe.skipIf(!hasKnot)("publishing records", () => {
  let knot: Knot | null = null;
  afterEach(() => knot?.close());

  const providerFor = ({ port, key }: Knot, secret = key.secret): DnsProvider =>
    rfc2136Dns({ host: "127.0.0.1", port, key: { name: key.name, secret } });

  async function publish(
    provider: DnsProvider | null,
    { takeOver = false, isConfirmed = true, deadlineMs = 600_000 } = {},
  ) {
    await using finder = await startFakeDnsServer({
      [zone]: { ns: [`ns.${zone}`] },
      [`ns.${zone}`]: { a: ["127.0.0.1"] },
    });
    const verify = { resolvers: [finder.address], port: knot?.port ?? 0, deadlineMs, pauseMs: 50 };
    const shown: string[] = [];
    const said: string[] = [];
    const show = (text: string) => void shown.push(text);
    const confirm = () => Promise.resolve(isConfirmed);
    for await (const one of publishRecords(wanted, { provider, takeOver, verify, show, confirm }))
      said.push(`${one.state} ${one.subject}: ${one.says}`);
    return { said, shown };
  }

  it("writes what is missing, leaves what others have, and finds everything in its place; twice changes nothing", async () => {
    knot = await startKnot({ [zone]: ['@ TXT "site-verification=1"', "www A 192.0.2.99"] });
    const first = await publish(providerFor(knot));
    expect(first.said[0]).toBe(`ok provider: Written: A mail.${zone}, MX ${zone}, CNAME smtp.${zone}, TXT ${zone}.`);
    expect(first.said.slice(1)).toEqual(wanted.map(({ type, name }) => `ok ${type} ${name}: Published.`));
    expect((await knot.ask(zone, "TXT")).sort()).toEqual(['"site-verification=1"', `"v=spf1 a:mail.${zone} -all"`]);
    expect(await knot.ask(`www.${zone}`, "A")).toEqual(["192.0.2.99"]);
    expect((await publish(providerFor(knot))).said[0]).toBe("ok provider: It has every record that may be written.");
  });

  it("a mail host of others stays until the operator takes over", async () => {
    knot = await startKnot({ [zone]: ["@ MX 10 mx.other.example."] });
    const { said } = await publish(providerFor(knot));
    expect(said).toContain(
      `fix MX ${zone}: It was left as it is. There is: ${zone}. 3600 IN MX 10 mx.other.example. If this server may take the domain's mail, add --take-over.`,
    );
    expect(await knot.ask(zone, "MX")).toEqual(["10 mx.other.example."]);
    const refused = await publish(providerFor(knot), { takeOver: true, isConfirmed: false });
    const warning = `warn MX ${zone}: Replaces: ${zone}. 3600 IN MX 10 mx.other.example.`;
    expect(refused.said).toEqual([warning, "fix provider: Nothing was written, because records of others would go."]);
    expect(await knot.ask(zone, "MX")).toEqual(["10 mx.other.example."]);
    const { said: taken } = await publish(providerFor(knot), { takeOver: true });
    expect(taken[0]).toBe(warning);
    expect(await knot.ask(zone, "MX")).toEqual([`10 mail.${zone}.`]);
  });

  it("an address of others stays, and so does the mail that it takes, until the operator takes over the web", async () => {
    knot = await startKnot({ [zone]: ["mail A 192.0.2.9"] });
    const { said } = await publish(providerFor(knot), { takeOver: true });
    expect(said[0]).toBe(
      `fix A mail.${zone}: It was left as it is. There is: mail.${zone}. 3600 IN A 192.0.2.9 If this name may lead here instead, add --take-over-web.`,
    );
    expect(await knot.ask(`mail.${zone}`, "A")).toEqual(["192.0.2.9"]);
    expect(await knot.ask(zone, "MX")).toEqual([]);
  });

  it("where the provider refuses the MX, no policy is written", async () => {
    knot = await startKnot({ [zone]: ["@ MX 10 mx.other.example."] });
    const inner = providerFor(knot);
    const provider: DnsProvider = {
      read: inner.read,
      apply: async (changes) => {
        const { done, left } = await inner.apply(changes.filter(({ type }) => type !== "MX"));
        const refused = changes.filter(({ type }) => type === "MX");
        return { done, left: [...left, ...refused.map((change) => ({ ...change, problem: "refused" as const }))] };
      },
    };
    const { said } = await publish(provider, { takeOver: true });
    expect(said).toContain(
      `fix provider: Not written: TXT ${zone}. While the MX record is not written, it could harm mail that others take.`,
    );
    expect(await knot.ask(zone, "TXT")).toEqual([]);
  });

  it("a wrong key writes nothing and says what to check", async () => {
    knot = await startKnot({ [zone]: [] });
    const wrong = Buffer.alloc(32, 1).toString("base64");
    const { said } = await publish(providerFor(knot, wrong));
    expect(said[0]).toBe("fix provider: The provider refuses the credential: check it, and what it may change.");
    expect(said.slice(1)).toContain(`fix MX ${zone}: Missing: ${zone}. 3600 IN MX 10 mail.${zone}.`);
    expect(said.join("\n")).not.toContain(wrong);
  });

  it("an operator who pastes is told at once what is in the way", async () => {
    knot = await startKnot({ [zone]: ["@ MX 10 mx.other.example."] });
    const { said } = await publish(null, { deadlineMs: 500 });
    expect(said[1]).toBe(
      `warn MX ${zone}: Wrong: ${zone}. 3600 IN MX 10 mx.other.example. must be ${zone}. 3600 IN MX 10 mail.${zone}.`,
    );
  });

  it("an operator who pastes is shown only what is missing, and is waited for", async () => {
    knot = await startKnot({ [zone]: ["mail A 192.0.2.1"] });
    const { update } = knot;
    const pasted = new Promise<void>((done) =>
      setTimeout(() => {
        const lines = wanted.slice(1).map((record) => zoneText(record));
        void update(`zone ${zone}`, ...lines.map((line) => `update add ${line}`)).then(done);
      }, 1500),
    );
    const { said, shown } = await publish(null, { deadlineMs: 30_000 });
    await pasted;
    expect(shown.join("")).not.toContain("192.0.2.1");
    expect(shown.join("")).toContain(`${zone}. 3600 IN MX 10 mail.${zone}.`);
    expect(said[0]).toMatch(/^warn records: Publish the records above/);
    expect(said.slice(1)).toEqual(wanted.map(({ type, name }) => `ok ${type} ${name}: Published.`));
  }, 60_000);
});

function zoneText(record: DnsRecord): string {
  if (record.type === "MX") return `${record.name}. 3600 MX ${record.preference} ${record.exchange}.`;
  if (record.type === "TXT") return `${record.name}. 3600 TXT "${record.text}"`;
  if (record.type === "CNAME") return `${record.name}. 3600 CNAME ${record.target}.`;
  return `${record.name}. 3600 ${record.type} ${record.address}`;
}
