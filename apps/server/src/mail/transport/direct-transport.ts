/** `KAUKE_DELIVERY=direct`: to the recipient's MX hosts in turn; with MTA-STS only to listed ones (RFC 8461 §5). */

import { domainToASCII } from "node:url";
import { splitAddress } from "@kauke/mail-rfc";
import type { DeliveryOutcome } from "../../core/delivery/delivery.ts";
import { providerOf } from "../../limits/party.ts";
import { classifyLoss, deferred, refused, untried } from "../classify-reply.ts";
import type { DnsResult, MxRecord, Resolver } from "../dns/resolver.ts";
import { type AllowList, isPublicAddress, parseAllowList } from "./address-guard.ts";
import type { SmtpPoolOptions } from "./smtp-client/pool-host.ts";
import type { SmtpPeer } from "./smtp-client/smtp-client.ts";
import { SmtpPool } from "./smtp-client/smtp-pool.ts";
import { createStsPolicies, type StsPolicies, type StsPolicy } from "./sts-policies.ts";
import {
  type MailTransport,
  type OngoingAttempt,
  type OutgoingMail,
  outcomeOnly,
  type SendReport,
} from "./transport.ts";

export interface DirectTransportOptions extends SmtpPoolOptions {
  resolver: Resolver;
  allow?: AllowList;
  port?: number;
  stsPort?: number;
  random?: () => number;
  /** Whether the MX host of a domain with a policy is listed in it. */
  onPolicy?: (mode: StsPolicy["mode"], result: "listed" | "not_listed") => void;
}

export function createDirectTransport(options: DirectTransportOptions): MailTransport {
  const { resolver, allow = parseAllowList([]), port = 25, stsPort, random = Math.random, ...rest } = options;
  const { onPolicy = () => {}, ...poolOptions } = rest;
  const pool = new SmtpPool(poolOptions);
  const policies = createStsPolicies({ resolver, allow, port: stsPort, ca: options.extraCa });
  const rules = { resolver, allow, port, random, ownName: options.mailHost.toLowerCase() };

  async function sendToOne(
    hosts: readonly MailHost[],
    peer: PeerRules,
    mail: OutgoingMail,
    attempt: OngoingAttempt,
  ): Promise<SendReport> {
    const busyProviders: string[] = [];
    let first = null;
    for (const host of hosts) {
      const provider = providerOf(host.name);
      if (!attempt.reachProvider(provider) || !attempt.reachPeer(host.address)) continue;
      const { outcome, isMailboxMissing, isBusy, isUncertain } = await pool.send(peerOf(host, peer), mail, attempt);
      if (isBusy) busyProviders.push(provider);
      // No other host is tried if this one may have the message, or if the copy was dropped from memory.
      const isOver = isUncertain || attempt.signal.aborted || mail.wire() === null;
      if (outcome.kind !== "deferred" || isOver) return { outcome, isMailboxMissing, busyProviders };
      // The failure of the most preferred host is the most useful one to report.
      first ??= outcome;
    }
    const outcome = first ?? (hosts.length > 0 ? untried : classifyLoss("unreachable"));
    return { ...outcomeOnly(outcome), busyProviders };
  }

  return {
    async send(mail, attempt) {
      const domain = splitAddress(mail.rcptTo).domain;
      const [found, policy] = await Promise.all([findMailHosts(domain, rules), policyOf(domain, policies, attempt)]);
      if (found.kind === "none") return outcomeOnly(found.outcome);
      // The policy is not known yet, so nothing may be sent.
      if (policy === "busy") return outcomeOnly(untried);
      const listed = policy === null ? found.hosts : found.hosts.filter(({ name }) => policy.lists(name));
      if (policy !== null) onPolicy(policy.mode, listed.length === found.hosts.length ? "listed" : "not_listed");
      const isEnforced = policy?.mode === "enforce";
      if (isEnforced && listed.length === 0) return outcomeOnly(classifyLoss("tls_failed"));
      return sendToOne(isEnforced ? listed : found.hosts, { port, isEnforced }, mail, attempt);
    },
    close: (graceMs) => pool.close(graceMs),
  };
}

async function policyOf(domain: string, policies: StsPolicies, attempt: OngoingAttempt) {
  const name = domainToASCII(domain);
  return name === "" || /^[0-9.]+$/.test(name) ? null : policies.find(name, attempt);
}

interface PeerRules {
  port: number;
  isEnforced: boolean;
}

function peerOf({ name, address }: MailHost, { port, isEnforced }: PeerRules): SmtpPeer {
  const tls = isEnforced ? "starttls" : "opportunistic";
  return { host: address, port, name, tls, isVerified: isEnforced, login: null, provider: providerOf(name) };
}

export interface MailHost {
  name: string;
  address: string;
}

type MailHosts = { kind: "hosts"; hosts: readonly MailHost[] } | { kind: "none"; outcome: DeliveryOutcome };

export interface MailHostRules {
  resolver: Resolver;
  allow: AllowList;
  port: number;
  /** MX hosts not preferred over our own mail host are left out, to avoid mail loops. */
  ownName: string;
  random: () => number;
}

const HOSTS_MAX = 10;
/** A host with many addresses must not displace the next host. */
const ADDRESSES_PER_HOST = 2;
const ADDRESSES_MAX = 8;

/** In the order to try (RFC 5321 §5.1, null MX RFC 7505). All pass the guard: an MX may have an internal address. */
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

/** One address per family. IPv4 first: receivers demand more of IPv6 senders, and a refusal costs reputation. */
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
