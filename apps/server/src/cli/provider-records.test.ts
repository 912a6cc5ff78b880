import { mtaStsId, readStsPolicy } from "@kauke/mail-rfc";
import { expect, it } from "vitest";
import { mtaStsPolicyOf } from "./dns-plan.ts";
import { providerDomainPage, providerRecords } from "./provider-records.ts";

const domain = "kauke.example";
const publicUrl = new URL("https://api.forwardemail.net");
const copyUrl = new URL("https://api.copy.example:8443");

it("the public service's MX hosts are known, and the domain's verification is a TXT record", () => {
  const mx = { type: "MX", name: domain, preference: 10 };
  const hosts = [
    { ...mx, exchange: "mx1.forwardemail.net" },
    { ...mx, exchange: "mx2.forwardemail.net" },
  ];
  const text = { type: "TXT", name: domain, text: "forward-email-site-verification=a1B2" };
  expect(providerRecords({ domain, verificationRecord: "a1B2" }, publicUrl)).toEqual([...hosts, text]);
  expect(providerRecords({ domain, verificationRecord: null }, publicUrl)).toEqual(hosts);
});

it("a self-hosted copy's are not", () => {
  expect(providerRecords({ domain, verificationRecord: "a1B2" }, copyUrl)).toEqual([]);
});

it.each([
  [publicUrl, "https://forwardemail.net/my-account/domains/kauke.example"],
  [copyUrl, "https://copy.example:8443/my-account/domains/kauke.example"],
  [new URL("http://127.0.0.1:4000"), null],
])("the domain's page of %s", (url, page) => {
  expect(providerDomainPage(url, domain)).toBe(page);
});

it("with a provider, the policy that named our mail host ends (RFC 8461 §5), under another id", () => {
  const engine = { mailHost: "mail.kauke.example", forwarding: { kind: "engine" } as const };
  const own = mtaStsPolicyOf(engine, true);
  const ended = mtaStsPolicyOf({ ...engine, forwarding: { kind: "forward-email", url: publicUrl, key: "" } }, true);
  expect([readStsPolicy(own)?.mode, readStsPolicy(ended)?.mode]).toEqual(["enforce", "none"]);
  expect(mtaStsId(own)).not.toBe(mtaStsId(ended));
});
