/**
 * The hosts that take mail for a domain, in the order to try them (RFC 5321 §5.1, null MX RFC 7505). All pass the
 * address guard: an MX record with an internal address could make us connect to our own network.
 */
import { domainToASCII } from "node:url";
import type { DeliveryOutcome } from "../../core/delivery/delivery.ts";
import { deferred, refused } from "../classify-reply.ts";
import type { DnsResult, MxRecord, Resolver } from "../dns/resolver.ts";
import { type AllowList, isPublicAddress } from "./address-guard.ts";

export interface MailHost {
  name: string;
  address: string;
}

export type MailHosts = { kind: "hosts"; hosts: readonly MailHost[] } | { kind: "none"; outcome: DeliveryOutcome };

export interface MailHostRules {
  resolver: Resolver;
  allow: AllowList;
  port: number;
  /** Our own mail host: MX hosts that are not preferred over it are left out, to avoid mail loops. */
  ownName: string;
  random: () => number;
}

const HOSTS_MAX = 10;
/** Maximum addresses of one host, so that one with many does not displace the next host. */
const ADDRESSES_PER_HOST = 2;
const ADDRESSES_MAX = 8;

export async function findMailHosts(domain: string, rules: MailHostRules): Promise<MailHosts> {
  const name = domainToASCII(domain);
  if (name === "" || /^[0-9.]+$/.test(name)) return none(refused("no_mail_host", "5.1.2"));
  const result = await rules.resolver.resolveMx(name);
  const exchanges = exchangesOf(name, result, rules);
  if (!Array.isArray(exchanges)) return none(exchanges);
  const found = await Promise.all(exchanges.map((exchange) => addressesOf(exchange, rules)));
  const hosts = found.flatMap((host) => (host.kind === "found" ? host.hosts : []));
  return hosts.length > 0 ? { kind: "hosts", hosts: hosts.slice(0, ADDRESSES_MAX) } : none(whyNone(found));
}

function none(outcome: DeliveryOutcome): MailHosts {
  return { kind: "none", outcome };
}

function exchangesOf(name: string, result: DnsResult<MxRecord>, rules: MailHostRules): string[] | DeliveryOutcome {
  if (result.kind === "failed") return deferred("dns_failed", "4.4.3");
  if (result.kind === "no_name") return refused("no_mail_host", "5.1.2");
  if (result.kind === "no_record") return [name];
  const records = result.records.map((record) => ({
    ...record,
    exchange: record.exchange.toLowerCase().replace(/\.$/, ""),
  }));
  if (records.every(({ exchange }) => exchange === "")) return refused("no_mail_host", "5.1.10");
  const own = records.find(({ exchange }) => exchange === rules.ownName);
  const usable = records.filter(
    ({ exchange, priority }) => exchange !== "" && priority < (own?.priority ?? Number.POSITIVE_INFINITY),
  );
  if (usable.length === 0) return refused("refused_by_policy", "5.4.6");
  return inOrder(usable, rules.random).slice(0, HOSTS_MAX);
}

function inOrder(records: readonly MxRecord[], random: () => number): string[] {
  return records
    .map((record) => ({ record, lot: random() }))
    .sort((a, b) => a.record.priority - b.record.priority || a.lot - b.lot)
    .map(({ record }) => record.exchange);
}

type HostAddresses = { kind: "found"; hosts: MailHost[] } | { kind: "not_allowed" | "missing" | "failed" };

/**
 * Picks one address of each family, since both seldom fail together. IPv4 first: receivers demand more of IPv6 senders
 * (reverse names, SPF), and a refused first contact costs reputation.
 */
async function addressesOf(name: string, { resolver, allow, port }: MailHostRules): Promise<HostAddresses> {
  const [four, six] = await Promise.all([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = [four, six].flatMap((found) => (found.kind === "found" ? found.records : []));
  if (addresses.length === 0) return { kind: four.kind === "failed" || six.kind === "failed" ? "failed" : "missing" };
  const isGood = (address: string) => isPublicAddress(address) || allow.hasAddress(address, port);
  if (!allow.hasHost(name, port) && !addresses.every(isGood)) return { kind: "not_allowed" };
  return { kind: "found", hosts: chosenOf(addresses).map((address) => ({ name, address })) };
}

function chosenOf(addresses: readonly string[]): string[] {
  const [first, ...others] = addresses;
  if (first === undefined) return [];
  const isOtherFamily = (address: string) => address.includes(":") !== first.includes(":");
  const second = others.find(isOtherFamily);
  return [first, ...(second === undefined ? others : [second])].slice(0, ADDRESSES_PER_HOST);
}

function whyNone(found: readonly HostAddresses[]): DeliveryOutcome {
  if (found.some(({ kind }) => kind === "failed")) return deferred("dns_failed", "4.4.3");
  if (found.some(({ kind }) => kind === "not_allowed")) return refused("address_not_allowed", "5.4.4");
  return refused("no_mail_host", "5.4.4");
}
