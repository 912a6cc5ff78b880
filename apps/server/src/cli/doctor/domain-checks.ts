/** Compares the DNS records of one domain with the plan: MX, SPF, DKIM, DMARC, MTA-STS and TLS reporting. */

import { get } from "node:https";
import { type DnsRecord, isSameDkimKey, type PublicDkimKey, readTagList } from "@kauke/mail-rfc";
import { clientSettingsHosts, policyHost } from "../../core/certificate.ts";
import type { DnsResult, Resolver } from "../../mail/dns/resolver.ts";
import { checkSpf as evaluateSpf } from "../../mail/inbound/authenticate/check-spf.ts";
import { MessageDns } from "../../mail/inbound/authenticate/message-dns.ts";
import { collectStream } from "../../runtime/byte-streams.ts";
import type { DnsPlan } from "../dns-plan.ts";
import { type CheckResult, checking } from "./check-result.ts";

export interface DomainCheckDeps {
  resolver: Resolver;
  plan: DnsPlan;
  dkim: readonly PublicDkimKey[];
  delivery: "relay" | "direct" | "provider";
  addresses: readonly string[];
  fetchPolicy: (host: string, address: string) => Promise<string | null>;
}

export async function checkDomain(domain: string, deps: DomainCheckDeps): Promise<CheckResult[]> {
  const keys = deps.dkim.filter((key) => key.domain === domain);
  return Promise.all([
    checkMx(domain, deps),
    checkSpfRecord(domain, deps),
    ...keys.map((key) => checkDkim(key, deps)),
    checkDmarc(domain, deps),
    checkMtaSts(domain, deps),
    checkTlsReporting(domain, deps),
    ...settingsHostsOf(domain, deps).map((host) => checkSettingsHost(host, deps)),
  ]);
}

const SPF_DEADLINE_MS = 10_000;
const printedByDomains = "`kauke domains` prints it";
const dnsFailed = "DNS gave no answer: check the name servers of this domain, and KAUKE_DNS_SERVERS.";

function recordsOf<T>(result: DnsResult<T>): readonly T[] {
  return result.kind === "found" ? result.records : [];
}

async function checkMx(domain: string, { resolver, plan }: DomainCheckDeps): Promise<CheckResult> {
  const { ok, warn, fix } = checking("mx", domain);
  const result = await resolver.resolveMx(domain);
  if (result.kind === "failed") return fix(dnsFailed);
  const hosts = recordsOf(result).map((one) => one.exchange.toLowerCase().replace(/\.$/, ""));
  if (!hosts.includes(plan.mailHost))
    return fix(`No MX record names ${plan.mailHost}, so no mail arrives: publish it, ${printedByDomains}.`);
  if (hosts.some((host) => host !== plan.mailHost))
    return warn(
      "There are MX records for other mail hosts too: remove them unless those hosts forward the mail to this one.",
    );
  return ok(`Mail is sent to ${plan.mailHost}.`);
}

/** Evaluates SPF (RFC 7208) as a receiver does: may the mail host's addresses send for the domain? */
export async function checkSpfRecord(domain: string, deps: DomainCheckDeps): Promise<CheckResult> {
  const { ok, warn, fix } = checking("spf", domain);
  const result = await deps.resolver.resolveTxt(domain);
  if (result.kind === "failed") return fix(dnsFailed);
  const records = recordsOf(result).filter((text) => /^v=spf1(?: |$)/i.test(text));
  if (records.length === 0) return fix(`There is no SPF record: publish it, ${printedByDomains}.`);
  if (records.length > 1) return fix("There are several SPF records, which counts as none: remove all but one.");
  if (/(?:^|\s)\+?all(?:\s|$)/i.test(records[0] ?? ""))
    return fix("The SPF record allows anybody to send for this domain: end it with -all.");
  if (deps.delivery === "relay")
    return warn(
      "There is an SPF record. Whether it includes the relay can't be checked from here: ask the relay's operator.",
    );
  if (deps.addresses.length === 0) return warn("SPF can't be checked while the mail host has no address.");
  if (await mayAllSend(domain, deps)) return ok("Every address of the mail host may send for this domain.");
  return fix(`The SPF record does not allow every address of the mail host to send: correct it, ${printedByDomains}.`);
}

async function mayAllSend(domain: string, { addresses, resolver, plan }: DomainCheckDeps): Promise<boolean> {
  const dns = new MessageDns(resolver, SPF_DEADLINE_MS);
  const claim = { helo: plan.mailHost, envelopeFrom: `postmaster@${domain}` };
  const found = await Promise.all(addresses.map((clientAddress) => evaluateSpf({ ...claim, clientAddress }, dns)));
  dns.close();
  return found.every(({ result }) => result === "pass");
}

async function checkDkim(key: PublicDkimKey, { resolver }: DomainCheckDeps): Promise<CheckResult> {
  const name = `${key.selector}._domainkey.${key.domain}`;
  const { ok, fix } = checking("dkim", name);
  const result = await resolver.resolveTxt(name);
  if (result.kind === "failed") return fix(dnsFailed);
  const found = recordsOf(result);
  if (found.length === 0) return fix(`Our signatures can't be verified: publish the key, ${printedByDomains}.`);
  if (found.length > 1) return fix("There are several records, which receivers may not accept: remove all but one.");
  if (found.every((text) => isSameDkimKey(text, key))) return ok("The key our mail is signed with is published.");
  return fix(
    `The published key is not the one we sign with, so every signature fails: replace it, ${printedByDomains}.`,
  );
}

async function checkDmarc(domain: string, { resolver }: DomainCheckDeps): Promise<CheckResult> {
  const { ok, warn, fix } = checking("dmarc", domain);
  const result = await resolver.resolveTxt(`_dmarc.${domain}`);
  if (result.kind === "failed") return fix(dnsFailed);
  const found = recordsOf(result).flatMap((text) => readTagList(text, "DMARC1") ?? []);
  const [tags] = found;
  if (tags === undefined)
    return fix(`There is no DMARC record, which large providers ask for: publish it, ${printedByDomains}.`);
  if (found.length > 1) return fix("There are several DMARC records, which counts as none: remove all but one.");
  const policy = tags.get("p")?.toLowerCase();
  if (policy === "reject") return ok("Receivers reject mail that forges this domain.");
  return warn("The policy is weaker than p=reject, so others can forge mail from an alias: set p=reject.");
}

async function checkMtaSts(domain: string, deps: DomainCheckDeps): Promise<CheckResult> {
  const { ok, warn, fix } = checking("mta-sts", domain);
  const host = policyHost(domain);
  const result = await deps.resolver.resolveTxt(`_mta-sts.${domain}`);
  if (result.kind === "failed") return fix(dnsFailed);
  const [tags] = recordsOf(result).flatMap((text) => readTagList(text, "STSv1") ?? []);
  if (tags === undefined)
    return warn(`There is no MTA-STS record, so senders may fall back to plain text: publish it, ${printedByDomains}.`);
  const policy = await readPolicy(host, deps);
  if (policy === null)
    return fix(`https://${host}/.well-known/mta-sts.txt can't be read: serve it there as \`kauke domains\` says.`);
  if (plainLines(policy) !== plainLines(deps.plan.policy))
    return fix(`https://${host}/.well-known/mta-sts.txt is not the policy that \`kauke domains\` prints: replace it.`);
  if (tags.get("id") !== wantedId(domain, deps.plan))
    return warn(`The policy has changed since the record was published: publish the new id, ${printedByDomains}.`);
  return ok("Record and policy are published.");
}

async function readPolicy(host: string, { resolver, fetchPolicy }: DomainCheckDeps): Promise<string | null> {
  const [v4, v6] = await Promise.all([resolver.resolve4(host), resolver.resolve6(host)]);
  const [address] = [...recordsOf(v4), ...recordsOf(v6)];
  return address === undefined ? null : fetchPolicy(host, address);
}

function wantedId(domain: string, plan: DnsPlan): string | undefined {
  const records = plan.domains.find((one) => one.domain === domain)?.records ?? [];
  const record = records.find((one): one is DnsRecord & { type: "TXT" } => one.name === `_mta-sts.${domain}`);
  return readTagList(record?.text ?? "", "STSv1")?.get("id");
}

const plainLines = (text: string) => text.replaceAll("\r\n", "\n").trimEnd();

async function checkTlsReporting(domain: string, { resolver }: DomainCheckDeps): Promise<CheckResult> {
  const { ok, warn, fix } = checking("tls-reports", domain);
  const result = await resolver.resolveTxt(`_smtp._tls.${domain}`);
  if (result.kind === "failed") return fix(dnsFailed);
  const [tags] = recordsOf(result).flatMap((text) => readTagList(text, "TLSRPTv1") ?? []);
  if (tags?.get("rua") === undefined)
    return warn(`Senders can't report TLS failures to us: publish the record, ${printedByDomains}.`);
  return ok("Senders can report TLS failures.");
}

function settingsHostsOf(domain: string, { plan }: DomainCheckDeps): readonly string[] {
  return clientSettingsHosts(domain).filter((host) => plan.aliases.some(({ name }) => name === host));
}

async function checkSettingsHost(host: string, { resolver }: DomainCheckDeps): Promise<CheckResult> {
  const { ok, warn } = checking("mail-programs", host);
  const results = await Promise.all([resolver.resolve4(host), resolver.resolve6(host)]);
  if (results.some(({ kind }) => kind === "found")) return ok("Mail programs can look up their settings.");
  return warn(`Mail programs can't find their settings by themselves: publish the name, ${printedByDomains}.`);
}

const FETCH_MS = 10_000;
const POLICY_BYTES_MAX = 65_536;

/** Downloads an MTA-STS policy over https (RFC 8461 §3.3). @returns `null` on any failure, or if it is too large */
export function fetchPolicy(host: string, address: string): Promise<string | null> {
  return new Promise((resolve) => {
    const headers = { host, connection: "close" };
    const path = "/.well-known/mta-sts.txt";
    const signal = AbortSignal.timeout(FETCH_MS);
    const request = get({ host: address, servername: host, headers, path, signal }, (response) => {
      if (response.statusCode !== 200) return void request.destroy();
      void collectStream(response, POLICY_BYTES_MAX).then((chunks) =>
        resolve(chunks === null ? null : Buffer.concat(chunks).toString("utf8")),
      );
    });
    request.on("error", () => resolve(null));
    request.on("close", () => resolve(null));
  });
}
