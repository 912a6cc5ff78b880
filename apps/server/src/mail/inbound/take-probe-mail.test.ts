import { mailHostCertificate, testCertificate } from "@kauke/testkit/test-certificate";
import { expect, it } from "vitest";
import { judgeCertificate } from "./take-probe-mail.ts";

const today = new Date("2026-12-01");

it.each([
  ["valid for its name", mailHostCertificate, "mail.kauke.test", today, "valid"],
  ["not valid for another name", mailHostCertificate, "mx.kauke.test", today, "wrong_name"],
  ["not valid when it has expired", mailHostCertificate, "mail.kauke.test", new Date("2200-01-01"), "expired"],
  ["not valid before its first day", mailHostCertificate, "mail.kauke.test", new Date("2020-01-01"), "expired"],
  ["self-signed", testCertificate, "localhost", today, "self_signed"],
  ["not to be read", "no certificate", "localhost", today, "not_checked"],
] as const)("a certificate is %s", (_, pem, host, now, state) => {
  expect(judgeCertificate(pem, host, now)).toBe(state);
});
