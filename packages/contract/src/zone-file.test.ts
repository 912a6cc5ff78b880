import { expect, test } from "vitest";
import type { DomainRecordWire } from "./account-domains.ts";
import { zoneFile, zoneFileName } from "./zone-file.ts";

const txt = (host: string, value: string): DomainRecordWire => ({
  name: "dkim",
  isRequired: false,
  type: "TXT",
  host,
  value,
  priority: null,
  state: "missing",
  found: [],
});

test("names are absolute, texts are quoted, and an MX record has its priority", () => {
  const mx: DomainRecordWire = {
    ...txt("example.com", "mail.kauke.test"),
    name: "mx",
    type: "MX",
    priority: 10,
  };
  expect(zoneFile({ records: [mx, txt("example.com", "v=spf1 a:mail.kauke.test -all")] })).toBe(
    'example.com.\t3600\tIN\tMX\t10 mail.kauke.test.\nexample.com.\t3600\tIN\tTXT\t"v=spf1 a:mail.kauke.test -all"\n',
  );
  const cname: DomainRecordWire = { ...txt("mta-sts.example.com", "web.kauke.test"), type: "CNAME" };
  expect(zoneFile({ records: [cname] })).toBe("mta-sts.example.com.\t3600\tIN\tCNAME\tweb.kauke.test.\n");
  expect(zoneFileName({ domain: "example.com" })).toBe("example.com.zone");
});

test("a long text is cut into strings of at most 255 octets, which together are the text", () => {
  const value = `v=DKIM1; k=rsa; p=${"A".repeat(392)}`;
  const strings = [...zoneFile({ records: [txt("k._domainkey.example.com", value)] }).matchAll(/"([^"]*)"/g)];
  expect(strings.map(([, part = ""]) => part.length)).toEqual([255, 155]);
  expect(strings.map(([, part]) => part).join("")).toBe(value);
});

test("quotes and backslashes are escaped", () => {
  expect(zoneFile({ records: [txt("a.example", 'x"y\\z')] })).toContain('"x\\"y\\\\z"');
});
