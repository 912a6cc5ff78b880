import { getCACertificates, setDefaultCACertificates } from "node:tls";
import {
  mailHostCertificate,
  mailHostIssuer,
  mailHostKey,
  testCertificate,
  testKey,
} from "@kauke/testkit/test-certificate";
import { afterAll, expect, it } from "vitest";
import { judgeCertificate } from "./judge-certificate.ts";

const today = new Date("2026-12-01");
const roots = getCACertificates("default");
const issued = { cert: mailHostCertificate, key: mailHostKey };
const selfSigned = { cert: testCertificate, key: testKey };
const trusted = [...roots, mailHostIssuer];

afterAll(() => setDefaultCACertificates(roots));

it.each([
  ["valid for its name", issued, "mail.kauke.test", today, trusted, "valid"],
  ["not trusted while nobody knows its issuer", issued, "mail.kauke.test", today, roots, "untrusted"],
  ["not valid for another name", issued, "mx.kauke.test", today, trusted, "wrong_name"],
  ["not valid when it has expired", issued, "mail.kauke.test", new Date("2200-01-01"), trusted, "expired"],
  ["not valid before its first day", issued, "mail.kauke.test", new Date("2020-01-01"), trusted, "expired"],
  ["self-signed", selfSigned, "localhost", today, trusted, "self_signed"],
  ["not to be read", { cert: "no certificate", key: "" }, "localhost", today, trusted, "not_checked"],
  ["not to be read without its key", { ...issued, key: testKey }, "mail.kauke.test", today, trusted, "not_checked"],
] as const)("a certificate is %s", async (_, pair, host, now, known, state) => {
  setDefaultCACertificates([...known]);
  expect(await judgeCertificate(pair, host, now)).toBe(state);
});
