import { generateKeyPairSync } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  dmarcReportConsent,
  isSameDkimKey,
  mailDomainRecords,
  mailHostRecords,
  mtaStsId,
  mtaStsPolicy,
  publicDkimKey,
  readTagList,
  reverseName,
  zoneLine,
} from "./dns-records.ts";

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const ed25519 = generateKeyPairSync("ed25519");
const k1 = publicDkimKey({
  domain: "kauke.example",
  selector: "k1",
  algorithm: "rsa-sha256",
  privateKey: rsa.privateKey,
});
const k2 = publicDkimKey({
  domain: "kauke.example",
  selector: "k2",
  algorithm: "ed25519-sha256",
  privateKey: ed25519.privateKey,
});
const policy = mtaStsPolicy({ mailHost: "mail.kauke.example", mode: "enforce" });
const linesOf = (domain: string, dkim = [k1, k2], dmarcReports: string | null = null) =>
  mailDomainRecords({ domain, mailHost: "mail.kauke.example", dkim, policy, dmarcReports }).map((record) =>
    zoneLine(record),
  );

/** Parses the strings of a TXT line as a name server does. */
function textOf(line: string): { strings: string[]; text: string } {
  const strings = [...line.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, part = ""]) => part.replace(/\\(.)/g, "$1"));
  return { strings, text: strings.join("") };
}

describe("the records of a domain", () => {
  it("are written as complete lines of a zone file", () => {
    const lines = linesOf("kauke.example", []);
    expect(lines).toEqual([
      "kauke.example. 3600 IN MX 10 mail.kauke.example.",
      'kauke.example. 3600 IN TXT "v=spf1 a:mail.kauke.example -all"',
      '_dmarc.kauke.example. 3600 IN TXT "v=DMARC1; p=reject; adkim=r; aspf=r"',
      `_mta-sts.kauke.example. 3600 IN TXT "v=STSv1; id=${mtaStsId(policy)}"`,
      '_smtp._tls.kauke.example. 3600 IN TXT "v=TLSRPTv1; rua=mailto:postmaster@kauke.example"',
    ]);
  });

  it("name the mailbox for DMARC reports if one is set", () => {
    const dmarcOf = (address: string) =>
      linesOf("kauke.example", [], address).find((line) => line.startsWith("_dmarc."));
    expect(dmarcOf("dmarc@example.org")).toContain(
      '"v=DMARC1; p=reject; adkim=r; aspf=r; rua=mailto:dmarc@example.org"',
    );
    expect(dmarcOf("a!b,c;d@ąžuolas.lt")).toContain("rua=mailto:a%21b%2Cc%3Bd@xn--uolas-2wa16f.lt");
  });

  it("contain each DKIM key of the domain, and no other domain's", () => {
    const names = (domain: string) => linesOf(domain).map((line) => line.split(" ")[0]);
    expect(names("kauke.example")).toEqual(
      expect.arrayContaining(["k1._domainkey.kauke.example.", "k2._domainkey.kauke.example."]),
    );
    expect(names("slapta.example").filter((name) => name?.includes("_domainkey"))).toEqual([]);
  });

  it("split an RSA key into strings of 255 octets at most", () => {
    const line = linesOf("kauke.example").find((text) => text.startsWith("k1.")) ?? "";
    const { strings, text } = textOf(line);
    expect(strings.map((part) => part.length)).toEqual([255, expect.any(Number)]);
    const p = /p=([A-Za-z0-9+/=]+)$/.exec(text)?.[1] ?? "";
    expect(Buffer.from(p, "base64")).toEqual(rsa.publicKey.export({ type: "spki", format: "der" }));
  });

  it("contain an Ed25519 key as its bare 32 octets", () => {
    const { text } = textOf(linesOf("kauke.example").find((line) => line.startsWith("k2.")) ?? "");
    const raw = Buffer.from(ed25519.publicKey.export({ format: "jwk" }).x ?? "", "base64url");
    expect(text).toBe(`v=DKIM1; k=ed25519; p=${raw.toString("base64")}`);
  });

  it("never contain a private key", () => {
    const secret = rsa.privateKey.export({ type: "pkcs8", format: "der" }).toString("base64");
    expect(linesOf("kauke.example").join("\n")).not.toContain(secret.slice(40, 80));
  });

  it("quote any text so that it can be read back unchanged", () => {
    const anyText = fc.string({ unit: fc.integer({ min: 32, max: 126 }).map((code) => String.fromCharCode(code)) });
    fc.assert(
      fc.property(anyText, (text) => {
        expect(textOf(zoneLine({ type: "TXT", name: "a.example", text })).text).toBe(text);
      }),
    );
  });
});

it("the mail host gets an SPF record for its own name, unless that is one of the domains", () => {
  const lines = (domains: string[]) => mailHostRecords("mail.kauke.example", domains).map((record) => zoneLine(record));
  expect(lines(["kauke.example"])).toEqual(['mail.kauke.example. 3600 IN TXT "v=spf1 a -all"']);
  expect(lines(["kauke.example", "mail.kauke.example"])).toEqual([]);
});

it("a report address in another domain needs that domain's consent record", () => {
  expect(dmarcReportConsent("kauke.example", "dmarc@Example.org")).toEqual({
    type: "TXT",
    name: "kauke.example._report._dmarc.example.org",
    text: "v=DMARC1",
  });
  expect(dmarcReportConsent("kauke.example", "dmarc@kauke.example")).toBeNull();
});

describe("the MTA-STS policy", () => {
  it("has the format of RFC 8461", () => {
    expect(policy).toBe("version: STSv1\r\nmode: enforce\r\nmx: mail.kauke.example\r\nmax_age: 604800\r\n");
  });

  it("has an id of letters and digits that changes with the policy", () => {
    const other = mtaStsPolicy({ mailHost: "mail.kauke.example", mode: "testing" });
    expect(mtaStsId(policy)).toMatch(/^[A-Za-z0-9]{1,32}$/);
    expect(mtaStsId(policy)).toBe(mtaStsId(`${policy}`));
    expect(mtaStsId(other)).not.toBe(mtaStsId(policy));
  });
});

describe("a record found in DNS", () => {
  it.each([
    ["v=DMARC1; p=reject", { v: "DMARC1", p: "reject" }],
    ["v=dmarc1;P = none ;", { v: "dmarc1", p: "none" }],
    ["v=DMARC1; p=reject; rua=mailto:a@b.example", { v: "DMARC1", p: "reject", rua: "mailto:a@b.example" }],
  ])("is parsed into tags: %s", (text, tags) => {
    expect(Object.fromEntries(readTagList(text, "DMARC1") ?? [])).toEqual(tags);
  });

  it.each(["", "p=reject; v=DMARC1", "v=DMARC2; p=reject", "v=spf1 -all", "google-site-verification=x"])(
    "is not a tag list of the expected version: %s",
    (text) => expect(readTagList(text, "DMARC1")).toBeNull(),
  );

  it("is recognized as our key however it is written", () => {
    const p = k1.text.split("p=")[1] ?? "";
    expect(isSameDkimKey(k1.text, k1)).toBe(true);
    expect(isSameDkimKey(`p=${p}`, k1)).toBe(true);
    expect(isSameDkimKey(`v=DKIM1; t=s; p=${p.slice(0, 100)} ${p.slice(100)}`, k1)).toBe(true);
    expect(isSameDkimKey(k2.text, k1)).toBe(false);
    expect(isSameDkimKey("v=DKIM1; p=", k1)).toBe(false);
    expect(isSameDkimKey("unrelated", k1)).toBe(false);
    expect(isSameDkimKey(`p=${k2.text.split("p=")[1]}`, k2)).toBe(false);
  });
});

it.each([
  ["192.0.2.1", "1.2.0.192.in-addr.arpa"],
  ["2001:db8::567:89ab", "b.a.9.8.7.6.5.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa"],
  ["::1", `1.${"0.".repeat(31)}ip6.arpa`],
  ["2001:db8:1:2:3:4:5:6", "6.0.0.0.5.0.0.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa"],
])("the reverse name of %s is %s", (address, name) => expect(reverseName(address)).toBe(name));
