import { describe, expect, it } from "vitest";
import { mtaStsPolicy } from "./dkim/dns-records.ts";
import { listsStsHost, readStsId, readStsPolicy, STS_POLICY_LINES_MAX } from "./mta-sts.ts";

describe("the record that announces a policy (RFC 8461 §3.1)", () => {
  it.each([
    ["the example of RFC 8461", "v=STSv1; id=20160831085700Z;", "20160831085700Z"],
    ["without a final semicolon", "v=STSv1;id=1", "1"],
    ["white space around semicolons", "v=STSv1 \t;\t id=a1 ; ", "a1"],
    ["an extension before and after the id", "v=STSv1; x_y.z-1=a:b; id=2; other=~", "2"],
    ["of repeated ids the first", "v=STSv1; id=1; id=2-x", "1"],
    ["a long extension", `v=STSv1; id=1; x=${"a".repeat(5000)}`, "1"],
    ["an id of 32 characters", `v=STSv1; id=${"a".repeat(32)}`, "a".repeat(32)],
  ])("%s", (_, text, id) => {
    expect(readStsId(["v=spf1 -all", text])).toBe(id);
  });

  it.each([
    ["none", []],
    ["another record only", ["v=STSv2; id=1"]],
    ["two records", ["v=STSv1; id=1", "v=STSv1; id=1"]],
    ["a valid record beside an invalid one", ["v=STSv1; id=1", "v=STSv1; id="]],
    ["no id", ["v=STSv1; x=1"]],
    ["no field", ["v=STSv1;"]],
    ["an empty id", ["v=STSv1; id=;"]],
    ["an id of 33 characters", [`v=STSv1; id=${"a".repeat(33)}`]],
    ["an id with a hyphen", ["v=STSv1; id=a-b"]],
    ["the version in lower case", ["v=stsv1; id=1"]],
    ["an id in upper case", ["v=STSv1; ID=1"]],
    ["a version that is not the first field", ["id=1; v=STSv1"]],
    ["white space before the version", [" v=STSv1; id=1"]],
    ["white space around an equals sign", ["v=STSv1; id =1"]],
    ["white space within a value", ["v=STSv1; id=1 2"]],
    ["an empty field", ["v=STSv1;; id=1"]],
    ["a field without a value", ["v=STSv1; id=1; x"]],
    ["a name of 33 characters", [`v=STSv1; id=1; ${"n".repeat(33)}=1`]],
    ["a name that begins with a hyphen", ["v=STSv1; id=1; -n=1"]],
    ["a line break", ["v=STSv1; id=1\n"]],
  ])("is absent: %s", (_, texts) => {
    expect(readStsId(texts)).toBeNull();
  });
});

const policyOf = (...lines: string[]) => readStsPolicy(lines.join("\n"));
const start = ["version: STSv1", "mode: enforce", "max_age: 86400"];

describe("a policy file (RFC 8461 §3.2)", () => {
  it("is read: the example of §3.2", () => {
    const file =
      "version: STSv1\r\nmode: enforce\r\nmx: mail.example.com\r\nmx: *.example.net\r\nmx: backupmx.example.com\r\nmax_age: 604800\r\n";
    expect(readStsPolicy(file)).toEqual({
      mode: "enforce",
      maxAgeSeconds: 604_800,
      mx: new Set(["mail.example.com", "*.example.net", "backupmx.example.com"]),
    });
  });

  it("is read: one that Kauke publishes itself", () => {
    for (const mode of ["enforce", "testing", "none"] as const)
      expect(readStsPolicy(mtaStsPolicy({ mailHost: "mail.kauke.example", mode }))).toEqual({
        mode,
        maxAgeSeconds: 604_800,
        mx: new Set(["mail.kauke.example"]),
      });
  });

  it.each([
    ["fields in any order", ["mx: a.test", "max_age:1", "mode:testing", "version:STSv1"]],
    ["unknown fields and lines without a colon", [...start, "mx: a.test", "x.y-z_1: any value; at all", "", "text"]],
    ["a line whose name is no field name", [...start, "mx: a.test", " mode: none", "m x: b", `${"n".repeat(33)}: 1`]],
    ["of repeated fields the first", [...start, "mx: a.test", "mode: none", "version: STSv2", "max_age: x"]],
    ["a host in upper case, and twice", [...start, "mx: A.Test", "mx: a.test"]],
    ["the longest time", ["version: STSv1", "mode: enforce", "max_age: 31557600", "mx:\ta.test \t"]],
  ])("is read: %s", (_, lines) => {
    expect(policyOf(...lines)?.mx).toEqual(new Set(["a.test"]));
  });

  it("of mode none needs no host", () => {
    expect(policyOf("version: STSv1", "mode: none", "max_age: 0")).toEqual({
      mode: "none",
      maxAgeSeconds: 0,
      mx: new Set(),
    });
  });

  it.each([
    ["an empty file", []],
    ["no version", ["mode: enforce", "max_age: 1", "mx: a.test"]],
    ["another version", ["version: STSv2", "mode: enforce", "max_age: 1", "mx: a.test"]],
    ["the version in lower case", ["version: stsv1", "mode: enforce", "max_age: 1", "mx: a.test"]],
    ["no mode", ["version: STSv1", "max_age: 1", "mx: a.test"]],
    ["an unknown mode", ["version: STSv1", "mode: Enforce", "max_age: 1", "mx: a.test"]],
    ["no time", ["version: STSv1", "mode: enforce", "mx: a.test"]],
    ["a negative time", ["version: STSv1", "mode: enforce", "max_age: -1", "mx: a.test"]],
    ["a time above a year", ["version: STSv1", "mode: enforce", "max_age: 31557601", "mx: a.test"]],
    ["a time of eleven digits", ["version: STSv1", "mode: enforce", "max_age: 00000000001", "mx: a.test"]],
    ["no host", start],
    ["an empty host", [...start, "mx:"]],
    ["a host with a space", [...start, "mx: a.test b.test"]],
    ["a wildcard for a part of a label", [...start, "mx: a*.test"]],
    ["a wildcard that is not the first label", [...start, "mx: a.*.test"]],
    ["a wildcard alone", [...start, "mx: *"]],
    ["one invalid host among valid ones", [...start, "mx: a.test", "mx: bücher.test"]],
    ["a first field that is invalid, though a later one is valid", ["mode: enforce please", ...start, "mx: a.test"]],
  ])("is invalid: %s", (_, lines) => {
    expect(policyOf(...lines)).toBeNull();
  });

  it("has at most 256 lines", () => {
    const hosts = (count: number) => Array.from({ length: count }, (_, at) => `mx: mx${at}.test`);
    expect(policyOf(...start, ...hosts(STS_POLICY_LINES_MAX - 3))?.mx.size).toBe(STS_POLICY_LINES_MAX - 3);
    expect(policyOf(...start, ...hosts(STS_POLICY_LINES_MAX - 2))).toBeNull();
  });
});

it.each([
  ["mail.example.com", "mail.example.com", true],
  ["mail.example.com", "MAIL.Example.com.", true],
  ["mail.example.com", "mx.mail.example.com", false],
  ["*.example.com", "mail.example.com", true],
  ["*.example.com", "example.com", false],
  ["*.example.com", "foo.bar.example.com", false],
  ["*.example.com", "mail.example.com.evil.test", false],
  ["*.example.com", "*.example.com", false],
  ["*.example.com", ".example.com", false],
  ["mail.example.com", "", false],
])("of a policy for %s, the host %s is listed: %s (RFC 8461 §4.1)", (pattern, host, isListed) => {
  expect(listsStsHost({ mx: new Set([pattern]) }, host)).toBe(isListed);
});
