import { expect, it } from "vitest";
import { organisationOf } from "./organisation.ts";

it.each([
  ["aspmx.l.google.com", "google.com"],
  ["alt4.gmail-smtp-in.l.google.com", "google.com"],
  ["aspmx2.googlemail.com", "google.com"],
  ["contoso-com.mail.protection.outlook.com", "outlook.com"],
  ["contoso-com.p-v1.mx.microsoft", "outlook.com"],
  ["mx00.gmx.net", "gmx.net"],
  ["mx.example.co.uk", "example.co.uk"],
  ["mx.co.uk", "mx.co.uk"],
  ["mx.example.govt.nz", "example.govt.nz"],
  ["mail.kauke.test", "kauke.test"],
  ["localhost", "localhost"],
])("%s is run by %s", (host, organisation) => {
  expect(organisationOf(host)).toBe(organisation);
});
