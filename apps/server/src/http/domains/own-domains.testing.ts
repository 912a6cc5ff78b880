/** A DNS for tests of own domains, and accounts that prove one. */
import type { AccountDomainWire } from "@kauke/contract";
import { expect } from "vitest";
import type { DnsAnswer, DomainDns, MxAnswer } from "../../core/domain/domain-dns.ts";
import type { Visitor } from "../test/test-server.ts";

export class FakeDomainDns implements DomainDns {
  readonly txt = new Map<string, string[]>();
  readonly mx = new Map<string, MxAnswer[]>();
  isFailing = false;
  asked = 0;

  begin() {
    this.asked += 1;
    return {
      txt: async (name: string) => this.#answer(this.txt.get(name)),
      mx: async (name: string) => this.#answer(this.mx.get(name)),
      addresses: async () => ({ kind: "no_name" as const }),
      mailHostPassesSpf: async () => null,
    };
  }

  /** What the owner of a domain publishes after reading the page. */
  publish({ records }: Pick<AccountDomainWire, "records">): void {
    for (const { type, host, value, priority } of records)
      if (type === "MX") this.mx.set(host, [{ exchange: value, priority: priority ?? 0 }]);
      else this.txt.set(host, [...(this.txt.get(host) ?? []), value]);
  }

  #answer<T>(records: T[] | undefined): DnsAnswer<T> {
    if (this.isFailing) return { kind: "failed" };
    return records === undefined ? { kind: "no_name" } : { kind: "found", records };
  }
}

export async function addDomain(person: Visitor, domain: string): Promise<AccountDomainWire> {
  const { status, body } = await person.call("addAccountDomain", { body: { domain } });
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
}

export async function proveDomain(dns: FakeDomainDns, person: Visitor, domain: string): Promise<AccountDomainWire> {
  const added = await addDomain(person, domain);
  dns.publish(added);
  const { status, body } = await person.call("checkAccountDomain", { params: { domainId: added.id } });
  expect([status, body.state], JSON.stringify(body)).toEqual([200, "proven"]);
  return body;
}
