/**
 * Names of the default mix: aliases of several accounts, the accounts' mailboxes, and senders with their domains,
 * client addresses and DNS records. Each is derived from a number, its rank. Pure.
 */
import type { FakeDnsZone } from "@kauke/testkit/fakes/fake-dns";

export const mixSize = { aliases: 10_000, accounts: 100, senders: 10_000, senderDomains: 1000 };

/** Selector of the senders' DKIM key, which all their domains publish. */
export const senderSelector = "20230601";

export const aliasName = (alias: number) => `alias${alias}`;
export const accountOf = (alias: number) => alias % mixSize.accounts;

/** The one mailbox to which all aliases of an account forward. */
export const mailboxOf = (account: number) => `person${account}@inbox${account}.test`;

const domainOf = (sender: number) => sender % mixSize.senderDomains;
const nameOfDomain = (domain: number) => `remote${domain}.test`;
const clientOfDomain = (domain: number) => `127.9.${Math.floor(domain / 250)}.${(domain % 250) + 1}`;

export interface Sender {
  address: string;
  domain: string;
  /** Name in EHLO, whose A and PTR records match `clientAddress`. */
  helo: string;
  /** Loopback address from which the sender's host connects. */
  clientAddress: string;
}

export function senderOf(sender: number): Sender {
  const domain = nameOfDomain(domainOf(sender));
  const clientAddress = clientOfDomain(domainOf(sender));
  return { address: `sender${sender}@${domain}`, domain, helo: `mx.${domain}`, clientAddress };
}

/** @returns names of the senders' DKIM keys, e.g. `20230601._domainkey.remote7.test` */
export function senderKeyNames(): string[] {
  return domains().map((domain) => `${senderSelector}._domainkey.${nameOfDomain(domain)}`);
}

/**
 * @param keyRecord the DKIM key of all senders, a TXT record
 * @returns records of the senders: SPF, DKIM, DMARC, host names
 */
export function mixZone(keyRecord: string): FakeDnsZone {
  const zone: FakeDnsZone = {};
  for (const domain of domains()) {
    const name = nameOfDomain(domain);
    const client = clientOfDomain(domain);
    zone[name] = { txt: [`v=spf1 ip4:${client} -all`], mx: [[10, `mx.${name}`]] };
    zone[`mx.${name}`] = { a: [client] };
    zone[`${client.split(".").reverse().join(".")}.in-addr.arpa`] = { ptr: [`mx.${name}`] };
    zone[`_dmarc.${name}`] = { txt: ["v=DMARC1; p=reject"] };
  }
  for (const name of senderKeyNames()) zone[name] = { txt: [keyRecord] };
  return zone;
}

const domains = () => Array.from({ length: mixSize.senderDomains }, (_, domain) => domain);
