import { limits } from "@kauke/contract";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DnsAnswer, MxAnswer } from "./domain-dns.ts";
import { type DomainAnswers, isProof, judgeRecords, wantedRecords } from "./domain-records.ts";

const mailHost = "mail.kauke.test";
const token = "kauke-domain=abcdefghijklmnopqrstuvwxyz";
const key = (selector: string, text: string) => ({
  domain: "own.example",
  selector,
  text: `v=DKIM1; k=rsa; p=${text}`,
});
const wanted = wantedRecords(
  { domain: "own.example", token, dkim: [key("kauke1", "AAAA"), key("kauke2", "BBBB")] },
  { mailHost, policyTarget: "web.kauke.test" },
);

const texts = (...records: string[]): DnsAnswer<string> => ({ kind: "found", records });
const hosts = (...exchanges: string[]): DnsAnswer<MxAnswer> => ({
  kind: "found",
  records: exchanges.map((exchange, index) => ({ exchange, priority: 10 + index })),
});
const right: DomainAnswers = {
  mx: hosts(mailHost),
  txt: {
    ownership: texts(token),
    spf: texts(`v=spf1 a:${mailHost} -all`),
    dkim: texts("v=DKIM1; k=rsa; p=AAAA"),
    dkim_next: texts("v=DKIM1; k=rsa; p=BBBB"),
    dmarc: texts("v=DMARC1; p=reject; adkim=r; aspf=r"),
    mta_sts: texts("v=STSv1; id=1"),
    tls_rpt: texts("v=TLSRPTv1; rua=mailto:postmaster@own.example"),
  },
  mailHostPassesSpf: null,
  policyHost: { found: texts("192.0.2.1"), wanted: texts("192.0.2.1", "2001:db8::1") },
};
type TextName = "ownership" | "spf" | "dkim" | "dkim_next" | "dmarc" | "mta_sts" | "tls_rpt";

const judged = (answers: DomainAnswers) => judgeRecords(wanted, answers);
const stateWith = (name: TextName, answer: DnsAnswer<string>, more: Partial<DomainAnswers> = {}) =>
  judged({ ...right, ...more, txt: { ...right.txt, [name]: answer } }).find((one) => one.name === name);
const mxWith = (mx: DnsAnswer<MxAnswer>) => judged({ ...right, mx }).find((one) => one.name === "mx");

describe("the records of an own domain", () => {
  it("are its ownership, MX, SPF, two keys, DMARC, and those of encrypted delivery, as a DNS form wants them", () => {
    expect(
      wanted.map(({ name, type, host, value, priority, isRequired }) => [
        name,
        type,
        host,
        value,
        priority,
        isRequired,
      ]),
    ).toEqual([
      ["ownership", "TXT", "_kauke.own.example", token, null, true],
      ["mx", "MX", "own.example", "mail.kauke.test", 10, true],
      ["spf", "TXT", "own.example", "v=spf1 a:mail.kauke.test -all", null, false],
      ["dkim", "TXT", "kauke1._domainkey.own.example", "v=DKIM1; k=rsa; p=AAAA", null, false],
      ["dkim_next", "TXT", "kauke2._domainkey.own.example", "v=DKIM1; k=rsa; p=BBBB", null, false],
      ["dmarc", "TXT", "_dmarc.own.example", "v=DMARC1; p=reject; adkim=r; aspf=r", null, false],
      ["mta_sts_host", "CNAME", "mta-sts.own.example", "web.kauke.test", null, false],
      ["mta_sts", "TXT", "_mta-sts.own.example", expect.stringMatching(/^v=STSv1; id=[0-9a-f]{20}$/), null, false],
      ["tls_rpt", "TXT", "_smtp._tls.own.example", "v=TLSRPTv1; rua=mailto:postmaster@own.example", null, false],
    ]);
  });

  it("are right as they are wanted, and prove the domain", () => {
    const seen = judged(right);
    expect(seen.map(({ state }) => state)).toEqual(Array(wanted.length).fill("right"));
    expect(isProof(seen)).toBe(true);
  });

  it("are missing where there is no name or no record, and unread where DNS failed", () => {
    for (const [kind, state] of [
      ["no_name", "missing"],
      ["no_record", "missing"],
      ["failed", "unread"],
    ] as const) {
      const none = { kind };
      const names: TextName[] = ["ownership", "spf", "dkim", "dkim_next", "dmarc", "mta_sts", "tls_rpt"];
      const txt = Object.fromEntries(names.map((name) => [name, none]));
      const seen = judged({ ...right, mx: none, txt, policyHost: { ...right.policyHost, found: none } });
      expect(seen).toEqual(wanted.map(({ name }) => ({ name, state, found: [] })));
      expect(isProof(seen)).toBe(false);
    }
    const failed = { kind: "failed" } as const;
    const silent = { mx: failed, txt: {}, mailHostPassesSpf: true, policyHost: { ...right.policyHost, found: failed } };
    expect(judged(silent).every(({ state }) => state === "unread")).toBe(true);
  });
});

describe("the ownership record", () => {
  it.each([
    [[`  ${token} `], "right"],
    [["kauke-domain=another", token], "right"],
    [["kauke-domain=another"], "wrong"],
    [[`"${token}"`], "wrong"],
    [[token.toUpperCase()], "wrong"],
    [[`${token}x`], "wrong"],
    [["v=spf1 -all"], "wrong"],
  ] as const)("%j is %s", (records, state) => {
    expect(stateWith("ownership", texts(...records))?.state).toBe(state);
  });

  it("shows what was found instead", () => {
    expect(stateWith("ownership", texts("kauke-domain=another"))?.found).toEqual(["kauke-domain=another"]);
  });
});

describe("MX records", () => {
  it.each([
    [["MAIL.Kauke.Test."], "right"],
    [[mailHost, mailHost], "right"],
    [[mailHost, "mx.other.example"], "conflict"],
    [["mx.other.example"], "wrong"],
    [[""], "wrong"],
    [["", mailHost], "conflict"],
    [[`x${mailHost}`], "wrong"],
    [[`${mailHost}.own.example`], "wrong"],
    [[], "missing"],
  ] as const)("of %j are %s", (exchanges, state) => {
    expect(mxWith(hosts(...exchanges))?.state).toBe(state);
  });

  it("are shown with their priorities, the null MX as a dot", () => {
    expect(mxWith(hosts("mx.Other.example.", ""))?.found).toEqual(["10 mx.other.example", "11 ."]);
  });

  it("of a wildcard do not prove whose domain it is", () => {
    expect(isProof(judged({ ...right, txt: { ...right.txt, ownership: { kind: "no_name" } } }))).toBe(false);
  });

  it("beside those of another host, or not read, prove nothing", () => {
    expect(isProof(judged({ ...right, mx: hosts(mailHost, "mx.other.example") }))).toBe(false);
    expect(isProof(judged({ ...right, mx: { kind: "failed" } }))).toBe(false);
  });
});

describe("the SPF record", () => {
  it.each([
    [["V=SPF1 A:Mail.Kauke.Test ~all"], null, "right"],
    [["v=spf1 mx  +a:mail.kauke.test. -all"], null, "right"],
    [["google-site-verification=x", `v=spf1 a:${mailHost} -all`], null, "right"],
    [["v=spf1 include:_spf.other.example -all"], null, "wrong"],
    [["v=spf1 include:_spf.kauke.example -all"], true, "right"],
    [[`v=spf1 a:${mailHost} -all`], false, "wrong"],
    [[`v=spf1 -all a:${mailHost}`], null, "wrong"],
    [[`v=spf1 -a:${mailHost} -all`], null, "wrong"],
    [["v=spf1 +all"], true, "wrong"],
    [[`v=spf1 a:${mailHost} all`], true, "wrong"],
    [[`v=spf1 a:${mailHost} -all`, "v=spf1 -all"], true, "conflict"],
    [["google-site-verification=x"], true, "missing"],
    [["v=spf10 -all"], true, "missing"],
  ] as const)("%j, evaluated as %s, is %s", (records, mailHostPassesSpf, state) => {
    expect(stateWith("spf", texts(...records), { mailHostPassesSpf })?.state).toBe(state);
  });

  it("shows only SPF records", () => {
    expect(stateWith("spf", texts("secret-of-another-service", "v=spf1 -all"))?.found).toEqual(["v=spf1 -all"]);
  });
});

describe("the record of a key", () => {
  it.each([
    [["k=rsa; p=AAAA"], "right"],
    [["p=AA AA"], "right"],
    [["v=DKIM1; k=rsa; p=BBBB"], "wrong"],
    [["v=DKIM1; k=ed25519; p=AAAA"], "wrong"],
    [["v=DKIM1; k=rsa; p="], "wrong"],
    [["v=DKIM1; k=rsa; p=AAAA", "v=DKIM1; k=rsa; p=BBBB"], "conflict"],
  ] as const)("%j is %s", (records, state) => {
    expect(stateWith("dkim", texts(...records))?.state).toBe(state);
  });
});

describe("the DMARC record", () => {
  it.each([
    [["v=DMARC1;p=none"], "right"],
    [["v=DMARC1; p=quarantine; rua=mailto:me@own.example"], "right"],
    [["v=DMARC1; p=nonsense"], "wrong"],
    [["v=spf1 -all"], "wrong"],
    [["v=DMARC1; p=none", "v=spf1 -all"], "right"],
    [["v=DMARC1; p=none", "v=DMARC1; p=reject"], "conflict"],
  ] as const)("%j is %s", (records, state) => {
    expect(stateWith("dmarc", texts(...records))?.state).toBe(state);
  });
});

describe("the records of encrypted delivery", () => {
  const stateOf = (...addresses: string[]) => {
    const policyHost = { ...right.policyHost, found: texts(...addresses) };
    return judged({ ...right, policyHost }).find(({ name }) => name === "mta_sts_host")?.state;
  };

  it.each([
    [["2001:db8::1", "192.0.2.1"], "right"],
    [["192.0.2.1", "192.0.2.9"], "conflict"],
    [["192.0.2.9"], "wrong"],
    [[], "missing"],
  ] as const)("a policy host at %j is %s", (addresses, state) => {
    expect(stateOf(...addresses)).toBe(state);
  });

  it("of the policy host nothing is known while the web host has no address", () => {
    const policyHost = { ...right.policyHost, wanted: { kind: "no_name" } as const };
    expect(judged({ ...right, policyHost }).find(({ name }) => name === "mta_sts_host")?.state).toBe("unread");
  });

  it.each([
    ["mta_sts", ["v=STSv1; id=20261128T0000;"], "right"],
    ["mta_sts", ["v=STSv1; id="], "wrong"],
    ["mta_sts", ["v=STSv1; id=1", "v=STSv1; id=2"], "conflict"],
    ["mta_sts", ["v=spf1 -all"], "wrong"],
    ["tls_rpt", ["v=TLSRPTv1;rua=https://reports.example/a"], "right"],
    ["tls_rpt", ["v=TLSRPTv1; rua=mailto:"], "wrong"],
    ["tls_rpt", ["v=TLSRPTv1; rua=mailto:a@own.example", "v=TLSRPTv1; rua=mailto:b@own.example"], "conflict"],
  ] as const)("%s of %j is %s", (name, records, state) => {
    expect(stateWith(name, texts(...records))?.state).toBe(state);
  });

  it("are left out when this server does not serve policy hosts, but for reports", () => {
    const without = wantedRecords({ domain: "own.example", token, dkim: [] }, { mailHost, policyTarget: null });
    expect(without.map(({ name }) => name)).toEqual(["ownership", "mx", "spf", "dmarc", "tls_rpt"]);
  });
});

describe("whatever DNS returns", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 500 }),
    fc.constantFrom(
      token,
      `v=spf1 a:${mailHost} -all`,
      "v=DMARC1; p=reject",
      "v=DKIM1; k=rsa; p=AAAA",
      "v=STSv1; id=1",
      "v=TLSRPTv1; rua=mailto:a@own.example",
      "",
      "\ud800\u202e",
    ),
  );
  const answerOf = <T>(record: fc.Arbitrary<T>): fc.Arbitrary<DnsAnswer<T>> =>
    fc.oneof(
      fc.constantFrom<DnsAnswer<T>>({ kind: "no_name" }, { kind: "no_record" }, { kind: "failed" }),
      fc.array(record, { maxLength: 12 }).map((records) => ({ kind: "found" as const, records })),
    );
  const address = fc.oneof(fc.constantFrom("192.0.2.1", "2001:db8::1", ""), fc.ipV4());
  const exchange = fc.oneof(fc.constantFrom(mailHost, "MAIL.KAUKE.TEST.", "", "mx.other.example"), fc.domain());
  const mx = answerOf(fc.record({ exchange, priority: fc.nat(65_535) }));
  const answers: fc.Arbitrary<DomainAnswers> = fc.record({
    mx,
    txt: fc.record({
      ownership: answerOf(text),
      spf: answerOf(text),
      dkim: answerOf(text),
      dkim_next: answerOf(text),
      dmarc: answerOf(text),
      mta_sts: answerOf(text),
      tls_rpt: answerOf(text),
    }),
    mailHostPassesSpf: fc.constantFrom(true, false, null),
    policyHost: fc.record({ found: answerOf(address), wanted: answerOf(address) }),
  });

  it("each record has a state, few short entries, and none that hides or reorders text", () => {
    fc.assert(
      fc.property(answers, (given) => {
        const seen = judged(given);
        expect(seen.map(({ name }) => name)).toEqual(wanted.map(({ name }) => name));
        for (const { found } of seen) {
          expect(found.length).toBeLessThanOrEqual(limits.domainAnswersShown);
          for (const entry of found) {
            expect(entry.length).toBeLessThanOrEqual(limits.domainAnswerMax);
            expect(entry).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
          }
        }
      }),
    );
  });

  it("a domain is proven only by its own token, and if all of its mail comes here", () => {
    fc.assert(
      fc.property(answers, (given) => {
        if (!isProof(judged(given))) return;
        const { ownership } = given.txt;
        expect(ownership?.kind === "found" && ownership.records.some((one) => one.trim() === token)).toBe(true);
        const exchanges = given.mx.kind === "found" ? given.mx.records.map((one) => one.exchange) : [];
        expect(exchanges.length).toBeGreaterThan(0);
        for (const one of exchanges) expect(one.toLowerCase().replace(/\.$/, "")).toBe(mailHost);
      }),
      { numRuns: 300 },
    );
  });

  it("the order of records does not change a state", () => {
    fc.assert(
      fc.property(answers, (given) => {
        const reversed = <T>(answer: DnsAnswer<T>): DnsAnswer<T> =>
          answer.kind === "found" ? { kind: "found", records: answer.records.toReversed() } : answer;
        const txt = Object.fromEntries(Object.entries(given.txt).map(([name, one]) => [name, reversed(one)]));
        const states = (of: DomainAnswers) => judged(of).map(({ state }) => state);
        expect(states({ ...given, txt, mx: reversed(given.mx) })).toEqual(states(given));
      }),
    );
  });
});
