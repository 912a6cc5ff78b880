import type { DnsRecord } from "@kauke/mail-rfc";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Change, RecordSet } from "./provider.ts";
import { changesOf, type DecideOptions, decideRecords, isSameRecord, isSameSet } from "./record-changes.ts";

const zone = "kauke.example";
const host = `mail.${zone}`;
const text = (name: string, value: string) => ({ type: "TXT" as const, name, text: value });
const mx = (exchange: string, preference = 10) => ({ type: "MX" as const, name: zone, preference, exchange });
const key = (letter: string) => `v=DKIM1; k=rsa; p=${letter.repeat(300)}`;
const dmarc = "v=DMARC1; p=reject; adkim=r; aspf=r";
const wanted: DnsRecord[] = [
  { type: "A", name: host, address: "192.0.2.1" },
  { type: "AAAA", name: host, address: "2001:db8::1" },
  text(host, "v=spf1 a -all"),
  mx(host),
  text(zone, `v=spf1 a:${host} -all`),
  text(`k1._domainkey.${zone}`, key("A")),
  text(`_dmarc.${zone}`, dmarc),
  text(`_mta-sts.${zone}`, "v=STSv1; id=0123456789abcdef0123"),
  text(`_smtp._tls.${zone}`, `v=TLSRPTv1; rua=mailto:postmaster@${zone}`),
  { type: "CNAME", name: `smtp.${zone}`, target: host },
  { type: "CNAME", name: `mta-sts.${zone}`, target: "www.kauke.example" },
];

function setsOf(records: readonly DnsRecord[]): RecordSet[] {
  const groups = Map.groupBy(records, ({ name, type }) => `${name} ${type}`);
  return [...groups.values()].map((group) => ({
    name: group[0]?.name ?? "",
    type: group[0]?.type ?? "",
    records: group,
  }));
}

const decide = (existing: readonly DnsRecord[], options?: DecideOptions) =>
  decideRecords(wanted, setsOf(existing), options);

/** Decisions other than `add`, as `<kind> <type> <name> <reason>`. */
const notable = (existing: readonly DnsRecord[], options?: DecideOptions) =>
  decide(existing, options)
    .filter(({ kind }) => kind !== "add")
    .map((one) =>
      [one.kind, one.record.type, one.record.name, ...(one.kind === "conflict" ? [one.reason] : [])].join(" "),
    );

const changes = (existing: readonly DnsRecord[], options?: DecideOptions) =>
  changesOf(decide(existing, options), setsOf(existing));

describe("the records of a forwarding provider", () => {
  const verification = (value: string) => text(zone, `forward-email-site-verification=${value}`);
  const theirs = [mx("mx1.provider.example"), mx("mx2.provider.example"), verification("a1B2")];
  const kinds = (existing: readonly DnsRecord[], options?: DecideOptions) =>
    decideRecords(theirs, setsOf(existing), options).map((one) => (one.kind === "conflict" ? one.reason : one.kind));

  it.each<[string, readonly DnsRecord[], DecideOptions, readonly string[]]>([
    ["nothing there", [], {}, ["add", "add", "add"]],
    ["all there", theirs, {}, ["keep", "keep", "keep"]],
    ["our own MX of before", [mx(host)], { formerMailHosts: [host] }, ["replace", "replace", "add"]],
    ["an MX of others", [mx(host)], {}, ["other_mx", "other_mx", "mail_elsewhere"]],
    ["another text", [text(zone, "site-verification=1")], {}, ["add", "add", "add"]],
    ["another account's verification", [verification("z9")], {}, ["add", "add", "other_text"]],
    ["another account's, to be taken over", [verification("z9")], { takeOver: true }, ["add", "add", "replace"]],
  ])("with %s", (_, existing, options, expected) => {
    expect(kinds(existing, options)).toEqual(expected);
  });

  it("replace our own MX in one change, and nothing of others is lost", () => {
    const sets = setsOf([mx(host), text(zone, "site-verification=1")]);
    const decisions = decideRecords(theirs, sets, { formerMailHosts: [host] });
    expect(decisions.some((one) => one.kind === "replace" && one.isOfOthers)).toBe(false);
    const [ofMx, ofText] = changesOf(decisions, sets);
    expect(ofMx).toMatchObject({ type: "MX", remove: [mx(host)], add: theirs.slice(0, 2) });
    expect(ofText).toMatchObject({ type: "TXT", remove: [], add: theirs.slice(2) });
  });
});

describe("with", () => {
  it("nothing there, all records are added", () => {
    expect(notable([])).toEqual([]);
    expect(changes([]).flatMap(({ add }) => add)).toEqual(wanted);
  });

  it("all records there, in another spelling, nothing is changed", () => {
    const found = wanted.map((record) =>
      record.type === "MX" ? { ...record, exchange: "Mail.Kauke.Example." } : record,
    );
    const spelled = found.map((record) =>
      record.type === "AAAA"
        ? { ...record, name: `${record.name.toUpperCase()}.`, address: "2001:DB8:0:0::1" }
        : record,
    );
    expect(new Set(decide(spelled).map(({ kind }) => kind))).toEqual(new Set(["keep"]));
    expect(changes(spelled)).toEqual([]);
  });

  const sts = `TXT _mta-sts.${zone}`;
  const blocked = [`conflict TXT _dmarc.${zone} mail_elsewhere`, `conflict ${sts} mail_elsewhere`];
  const unled = [`conflict MX ${zone} host_elsewhere`, `conflict TXT ${zone} mail_elsewhere`, ...blocked];
  const cases: readonly [string, DnsRecord[], string[]][] = [
    ["other texts at the domain", [text(zone, "site-verification=1"), text(zone, "v=spf10 x")], []],
    [
      "another key in our form",
      [text(`k1._domainkey.${zone}`, key("B"))],
      [`conflict TXT k1._domainkey.${zone} other_text`],
    ],
    [
      "somebody else's key under our selector",
      [text(`k1._domainkey.${zone}`, "k=rsa; p=BBBB")],
      [`conflict TXT k1._domainkey.${zone} other_text`],
    ],
    ["our policy id of before", [text(`_mta-sts.${zone}`, `v=STSv1; id=${"f".repeat(20)}`)], [`replace ${sts}`]],
    ["another policy id", [text(`_mta-sts.${zone}`, "v=STSv1; id=20260101")], [`conflict ${sts} other_text`]],
    [
      "our DMARC policy with a report address",
      [text(`_dmarc.${zone}`, `${dmarc};rua = mailto:a@b.example; fo=1`)],
      [`keep TXT _dmarc.${zone}`],
    ],
    ["another DMARC policy", [text(`_dmarc.${zone}`, "v=DMARC1; p=none")], [`conflict TXT _dmarc.${zone} other_text`]],
    [
      "the mail of another host",
      [mx("mx.other.example")],
      [`conflict MX ${zone} other_mx`, `conflict TXT ${zone} mail_elsewhere`, ...blocked],
    ],
    [
      "a second mail host",
      [mx(host), mx("mx.other.example", 20)],
      [`conflict MX ${zone} other_mx`, `conflict TXT ${zone} mail_elsewhere`, ...blocked],
    ],
    ["our mail host with another preference", [mx(host, 5)], [`replace MX ${zone}`]],
    [
      "senders of others",
      [text(zone, "v=spf1 include:other.example ~all")],
      [`conflict TXT ${zone} other_text`, ...blocked],
    ],
    [
      "two lists of senders",
      [text(zone, "v=spf1 a -all"), text(zone, `v=spf1 a:${host} -all`)],
      [`conflict TXT ${zone} other_text`, ...blocked],
    ],
    ["senders of others and ours", [text(zone, `v=spf1 include:x.example +A:${host} ?all`)], [`keep TXT ${zone}`]],
    ["the senders that receive", [text(zone, "v=spf1 mx -all")], [`keep TXT ${zone}`]],
    [
      "our host behind the end of the list",
      [text(zone, `v=spf1 -all a:${host}`)],
      [`conflict TXT ${zone} other_text`, ...blocked],
    ],
    [
      "another address of the mail host",
      [{ type: "AAAA", name: host, address: "2001:db8::9" }],
      [`conflict A ${host} other_address`, `conflict AAAA ${host} other_address`, ...unled],
    ],
    [
      "a CNAME to another host",
      [{ type: "CNAME", name: `smtp.${zone}`, target: "x.example" }],
      [`conflict CNAME smtp.${zone} other_alias`],
    ],
    [
      "an address where a CNAME belongs",
      [{ type: "A", name: `smtp.${zone}`, address: "192.0.2.1" }],
      [`conflict CNAME smtp.${zone} name_in_use`],
    ],
    [
      "a CNAME where addresses belong",
      [{ type: "CNAME", name: host, target: "x.example" }],
      [
        `conflict A ${host} name_in_use`,
        `conflict AAAA ${host} name_in_use`,
        `conflict TXT ${host} name_in_use`,
        ...unled,
      ],
    ],
  ];
  it.each(cases)("%s", (_, existing, expected) => {
    expect(notable(existing)).toEqual(expected);
  });

  it("another record type, no CNAME is added", () => {
    const [decision] = decideRecords([wanted[9] as DnsRecord], [{ name: `smtp.${zone}`, type: "SRV", records: [] }]);
    expect(decision).toMatchObject({ kind: "conflict", reason: "name_in_use" });
  });
});

it("for one list of senders it proposes a list with both, which is then left alone", () => {
  const [, , , , decision] = decide([text(zone, "v=spf1 include:other.example ~all")]);
  const merged = decision?.kind === "conflict" ? decision.merged : undefined;
  expect(merged).toBe(`v=spf1 a:${host} include:other.example ~all`);
  expect(notable([text(zone, merged ?? "")])).toEqual([`keep TXT ${zone}`]);
});

it("a takeover replaces what has the same task and nothing else", () => {
  const others = [text(zone, "site-verification=1"), { type: "A" as const, name: zone, address: "192.0.2.80" }];
  const taken: DnsRecord[] = [
    mx("mx.other.example"),
    text(zone, "v=spf1 include:other.example -all"),
    text(`_dmarc.${zone}`, "v=DMARC1; p=none"),
    text(`k1._domainkey.${zone}`, key("B")),
  ];
  const alias: DnsRecord = { type: "CNAME", name: `smtp.${zone}`, target: "other.example" };
  const made = changes([...others, ...taken, alias], { takeOver: true });
  expect(
    isSameSet(
      made.flatMap(({ remove }) => remove),
      taken,
    ),
  ).toBe(true);
  expect(made.flatMap(({ add }) => add)).toContainEqual(text(zone, `v=spf1 a:${host} include:other.example -all`));
  expect(notable([...others, ...taken, alias], { takeOver: true })).toContain(
    `conflict CNAME smtp.${zone} other_alias`,
  );
});

it("addresses of others go only with a takeover of the web", () => {
  const old: DnsRecord = { type: "A", name: host, address: "192.0.2.9" };
  expect(changes([old], { takeOver: true }).flatMap(({ remove }) => remove)).toEqual([]);
  expect(changes([old], { takeOverWeb: true }).flatMap(({ remove }) => remove)).toEqual([old]);
});

it("a DMARC policy gets the report address that it lacks, and keeps the one it has", () => {
  const reporting = [text(`_dmarc.${zone}`, `${dmarc}; rua=mailto:ours@kauke.example`)];
  const kindWith = (value: string) =>
    decideRecords(reporting, setsOf([text(`_dmarc.${zone}`, value)])).map(({ kind }) => kind);
  expect(kindWith(dmarc)).toEqual(["replace"]);
  expect(kindWith(`${dmarc}; rua=mailto:theirs@b.example`)).toEqual(["keep"]);
});

/** What a provider has after the changes. */
function applied(existing: readonly DnsRecord[], made: readonly Change[]): DnsRecord[] {
  const gone = made.flatMap(({ remove }) => remove);
  return [...existing.filter((one) => !gone.some((old) => isSameRecord(old, one))), ...made.flatMap(({ add }) => add)];
}

describe("whatever exists", () => {
  const names = [...new Set(wanted.map(({ name }) => name)), zone, `www.${zone}`, "other.example"];
  const texts = [
    "site-verification=1",
    "v=spf1 -all",
    `v=spf1 mx a:${host} ~all`,
    "v=DMARC1; p=none",
    "v=STSv1; id=1",
    `v=STSv1; id=${"a".repeat(20)}`,
    key("C"),
    "k=rsa; p=x",
    ...wanted.flatMap((one) => (one.type === "TXT" ? [one.text] : [])),
  ];
  const hosts = [host, "other.example", ""];
  const name = fc.constantFrom(...names);
  const record: fc.Arbitrary<DnsRecord> = fc.oneof(
    fc.record({ type: fc.constant("TXT" as const), name, text: fc.oneof(fc.constantFrom(...texts), fc.string()) }),
    fc.record({ type: fc.constant("A" as const), name, address: fc.constantFrom("192.0.2.1", "192.0.2.2") }),
    fc.record({ type: fc.constant("AAAA" as const), name, address: fc.constantFrom("2001:db8::1", "2001:db8::2") }),
    fc.record({ type: fc.constant("CNAME" as const), name, target: fc.constantFrom(...hosts) }),
    fc.record({
      type: fc.constant("MX" as const),
      name,
      preference: fc.constantFrom(10, 20),
      exchange: fc.constantFrom(...hosts),
    }),
    fc.constantFrom(...wanted),
  );
  const existing = fc.uniqueArray(record, { maxLength: 20, comparator: isSameRecord });

  it("without a takeover nothing is removed but what an earlier run wrote", () => {
    const ours = /^v=DMARC1; p=reject; adkim=r; aspf=r$|^v=STSv1; id=[0-9a-f]{20}$/;
    fc.assert(
      fc.property(existing, (records) => {
        for (const one of changes(records).flatMap(({ remove }) => remove)) {
          expect(wanted.some(({ name: at, type }) => at === one.name && type === one.type)).toBe(true);
          expect(one.type === "TXT" ? ours.test(one.text) : one.type === "MX" && one.exchange === host).toBe(true);
        }
      }),
    );
  });

  it("a takeover removes no text with another task, no CNAME, and nothing at other names", () => {
    fc.assert(
      fc.property(existing, (records) => {
        for (const one of changes(records, { takeOver: true, takeOverWeb: true }).flatMap(({ remove }) => remove)) {
          expect(wanted.some(({ name: at }) => at === one.name)).toBe(true);
          expect(one.type).not.toBe("CNAME");
          if (one.type === "TXT") expect(one.text).toMatch(/^\s*v\s*=\s*(?:spf1|DMARC1|STSv1|TLSRPTv1)|p\s*=/i);
        }
      }),
    );
  });

  it.each([false, true])("a second run changes nothing (takeover: %s)", (takeOver) => {
    fc.assert(
      fc.property(existing, (records) => {
        const made = changes(records, { takeOver, takeOverWeb: takeOver });
        const after = applied(records, made);
        expect(made.flatMap(({ add }) => add).filter((one) => records.some((old) => isSameRecord(old, one)))).toEqual(
          [],
        );
        expect(changes(after, { takeOver, takeOverWeb: takeOver })).toEqual([]);
        for (const { found, name: at, type } of made)
          expect(
            isSameSet(
              found,
              records.filter((one) => one.name === at && one.type === type),
            ),
          ).toBe(true);
      }),
    );
  });
});
