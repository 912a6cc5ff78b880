/** Steps with own domains of accounts; a fake DNS server plays what a person's DNS returns. */
import type { AccountDomainWire } from "@kauke/contract";
import type { FakeDnsName, FakeDnsZone } from "@kauke/testkit/fakes/fake-dns";
import type { Person } from "@kauke/testkit/person";
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

export const domainRow = (page: Page, domain: string): Locator =>
  page
    .getByRole("list", { name: "Own domains" })
    .getByRole("listitem")
    .filter({ has: page.getByRole("heading", { name: domain, exact: true }) });

/** Adds a domain and publishes nothing yet. @returns the records that the page asks for, by their names */
export async function withDomain(person: Person, domain: string): Promise<AccountDomainWire> {
  const { status, body } = await person.call("POST", "/api/account/domains", { domain });
  expect(status).toBe(201);
  return body as AccountDomainWire;
}

export async function listedDomain(person: Person, domain: string): Promise<AccountDomainWire> {
  const { body } = await person.call("GET", "/api/account/domains");
  const found = (body as { domains: AccountDomainWire[] }).domains.find((one) => one.domain === domain);
  if (found === undefined) throw new Error(`${domain} is not listed`);
  return found;
}

/** What DNS returns when all records are there, by host. */
export function zoneOf({ records }: AccountDomainWire): Record<string, FakeDnsName> {
  const zone: Record<string, FakeDnsName> = {};
  for (const { host, type, value, priority } of records) {
    const name = (zone[host] ??= {});
    if (type === "MX") name.mx = [[priority ?? 0, value]];
    else name.txt = [value];
  }
  return zone;
}

/** Replaces what DNS returns for the domain and the names below it. */
export function publishIn(all: FakeDnsZone, domain: string, zone: Record<string, FakeDnsName>): void {
  for (const name of Object.keys(all)) if (name === domain || name.endsWith(`.${domain}`)) delete all[name];
  Object.assign(all, zone);
}

/** Adds a domain, publishes all its records and has them checked. */
export async function withProvenDomain(person: Person, domain: string, all: FakeDnsZone): Promise<AccountDomainWire> {
  const added = await withDomain(person, domain);
  publishIn(all, domain, zoneOf(added));
  const { status, body } = await person.call("POST", `/api/account/domains/${added.id}/check`);
  expect([status, (body as AccountDomainWire).state]).toEqual([200, "proven"]);
  return body as AccountDomainWire;
}
