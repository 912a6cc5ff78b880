/**
 * `KAUKE_DELIVERY=direct`: delivers to the recipient's own mail hosts, trying the next after a temporary failure. A
 * domain with an MTA-STS policy gets its mail only at the hosts the policy lists and over verified TLS (RFC 8461 §5).
 */

import { domainToASCII } from "node:url";
import { splitAddress } from "@kauke/mail-rfc";
import { providerOf } from "../../limits/party.ts";
import { classifyLoss, untried } from "../classify-reply.ts";
import type { Resolver } from "../dns/resolver.ts";
import { type AllowList, parseAllowList } from "./address-guard.ts";
import { findMailHosts, type MailHost } from "./mail-hosts.ts";
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
  /** Called with whether the MX host of a domain with a policy is listed in it. */
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
      // No other host is tried now if this one may have the message, or if the copy was dropped from memory.
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
