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
import type { AttemptSignal, MailTransport, OutgoingMail } from "./transport.ts";

export interface DirectTransportOptions extends SmtpPoolOptions {
  resolver: Resolver;
  allow?: AllowList;
  port?: number;
  /** Port of the hosts that serve MTA-STS policies. */
  stsPort?: number;
  random?: () => number;
  /** Called for each mail to a domain with a policy: whether all its MX hosts are listed in the policy. */
  onPolicy?: (mode: StsPolicy["mode"], result: "listed" | "not_listed") => void;
}

export function createDirectTransport(options: DirectTransportOptions): MailTransport {
  const { resolver, allow = parseAllowList([]), port = 25, stsPort, random = Math.random, ...rest } = options;
  const { onPolicy = () => {}, ...poolOptions } = rest;
  const pool = new SmtpPool(poolOptions);
  const policies = createStsPolicies({ resolver, allow, port: stsPort, ca: options.extraCa });
  const rules = { resolver, allow, port, random, ownName: options.mailHost.toLowerCase() };

  async function sendToOne(hosts: readonly MailHost[], peer: PeerRules, mail: OutgoingMail, signal?: AttemptSignal) {
    let first = null;
    for (const host of hosts) {
      if (signal?.reachProvider?.(providerOf(host.name)) === false) continue;
      if (signal?.reachPeer?.(host.address) === false) continue;
      const { outcome, isUncertain } = await pool.send(peerOf(host, peer), mail, signal);
      // No other host is tried now if this one may have the message, or if the message's bytes were dropped from
      // memory.
      const isOver = isUncertain || signal?.aborted || mail.wireParts.length === 0;
      if (outcome.kind !== "deferred" || isOver) return outcome;
      // Of several hosts' failures, that of the most preferred host is the most useful one to report.
      first ??= outcome;
    }
    return first ?? (hosts.length > 0 ? untried : classifyLoss("unreachable"));
  }

  return {
    async send(mail, signal) {
      const domain = splitAddress(mail.rcptTo).domain;
      const [found, policy] = await Promise.all([findMailHosts(domain, rules), policyOf(domain, policies, signal)]);
      if (found.kind === "none") return found.outcome;
      // The domain's MTA-STS policy is not known yet, so nothing may be sent.
      if (policy === "busy") return untried;
      const listed = policy === null ? found.hosts : found.hosts.filter(({ name }) => policy.lists(name));
      if (policy !== null) onPolicy(policy.mode, listed.length === found.hosts.length ? "listed" : "not_listed");
      const isEnforced = policy?.mode === "enforce";
      if (isEnforced && listed.length === 0) return classifyLoss("tls_failed");
      return sendToOne(isEnforced ? listed : found.hosts, { port, isEnforced }, mail, signal);
    },
    close: (graceMs) => pool.close(graceMs),
  };
}

async function policyOf(domain: string, policies: StsPolicies, signal: AttemptSignal | undefined) {
  const name = domainToASCII(domain);
  return name === "" || /^[0-9.]+$/.test(name) ? null : policies.find(name, signal);
}

interface PeerRules {
  port: number;
  isEnforced: boolean;
}

function peerOf({ name, address }: MailHost, { port, isEnforced }: PeerRules): SmtpPeer {
  const tls = isEnforced ? "starttls" : "opportunistic";
  return { host: address, port, name, tls, isVerified: isEnforced, login: null, provider: providerOf(name) };
}
