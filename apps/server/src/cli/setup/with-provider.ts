/** The steps of setup with a forwarding provider, after the server has started. */
import { type DnsRecord, mtaStsId } from "@kauke/mail-rfc";
import type { ProviderAccount, ProviderDomain } from "../../core/forwarding/provider-account.ts";
import type { ServerFacts } from "../control/control-protocol.ts";
import type { OperatorAccess } from "../control/operator-access.ts";
import { withdrawnPolicy } from "../dns-plan.ts";
import { type CheckResult, checking } from "../doctor/check-result.ts";
import { providerDomainPage, providerMailHosts, providerRecords } from "../provider-records.ts";
import { type AtProvider, checkAliases, checkSending, readDomains, verifyForwarding } from "./provider-steps.ts";
import { addressRecords, certificates, countAliases, publishFirst, succeed } from "./server-steps.ts";
import type { Running } from "./setup-deps.ts";

export async function* withProvider(
  running: Running,
  { url, account }: { url: URL; account: ProviderAccount },
): AsyncGenerator<CheckResult> {
  const { access, options, deps, mailHosts } = running;
  const { ok, fix } = checking("setup", options.domain);
  const facts = await access.facts({});
  const at: AtProvider = { account, domains: facts.domains, wait: deps.provider.wait };
  const domains = await readDomains(at);
  if ("says" in domains) return void (yield domains);
  const pageOf = (domain: string) => providerDomainPage(url, domain) ?? "the domain's page at the provider";
  const isMailDue = yield* areAliasesThere(access, at, domains);
  if (providerMailHosts(url) === null && isMailDue)
    yield checking("dns", "records").warn(`Publish the MX and TXT records that ${pageOf(options.domain)} shows.`);
  const isPublished = yield* succeed(
    deps.publish(await recordsFor(running, { facts, domains, url, isMailDue }), mailHosts),
  );
  if (!isPublished) return void (yield fix(publishFirst));
  const isForwarding = isMailDue && (yield* succeed(verifyForwarding(at)));
  yield* checkSending(at, { isOwnWay: facts.delivery !== "provider", pageOf });
  yield* certificates(access, deps);
  yield await deps.account(access, options.mailbox);
  const isReached = yield* succeed(seenByServer(access));
  if (!isForwarding || !isReached) return void (yield fix("Run this command again later: it goes on from here."));
  yield ok(
    `${facts.publicUrl} is yours, and the provider forwards the mail of its aliases. Ask \`kauke doctor\` whenever something seems wrong.`,
  );
}

/** What the server itself, as its own user, finds of the account. */
async function* seenByServer(access: OperatorAccess): AsyncGenerator<CheckResult> {
  const { checks } = await access.health({});
  yield* checks.filter(({ check }) => check === "provider");
}

/** @returns whether the domains' mail may be led to the provider */
async function* areAliasesThere(
  access: OperatorAccess,
  at: AtProvider,
  domains: readonly ProviderDomain[],
): AsyncGenerator<CheckResult, boolean> {
  if (domains.every(({ hasMxRecord }) => hasMxRecord)) return true;
  const result = await checkAliases(at, await countAliases(access));
  yield result;
  return result.state === "ok";
}

interface Known {
  facts: ServerFacts;
  domains: readonly ProviderDomain[];
  url: URL;
  isMailDue: boolean;
}

/** Nothing of our own mail server: only the web app's addresses, and what leads mail to the provider. */
async function recordsFor(
  { options, deps }: Running,
  { facts, domains, url, isMailDue }: Known,
): Promise<readonly DnsRecord[]> {
  const { publicUrl, mailHost } = facts;
  const ofProvider = domains.flatMap((domain) => providerRecords(domain, url));
  const withPolicy = isMailDue ? await deps.provider.withPolicy(facts.domains) : [];
  const id = mtaStsId(withdrawnPolicy(mailHost));
  return [
    ...addressRecords(new URL(publicUrl).hostname, options.addresses),
    ...ofProvider.filter(({ type }) => isMailDue || type !== "MX"),
    ...withPolicy.map((domain): DnsRecord => ({ type: "TXT", name: `_mta-sts.${domain}`, text: `v=STSv1; id=${id}` })),
  ];
}
