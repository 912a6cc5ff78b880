/** The steps of setup after the server has started: DNS records, certificates, the operator's account. */
import { setTimeout as pause } from "node:timers/promises";
import type { DnsRecord } from "@kauke/mail-rfc";
import type { ServerFacts } from "../control/control-protocol.ts";
import type { OperatorAccess } from "../control/operator-access.ts";
import { dnsPlan } from "../dns-plan.ts";
import { checkIssued, isForMailPrograms } from "../doctor/certificate-checks.ts";
import { type CheckResult, checking } from "../doctor/check-result.ts";
import { offerProbe } from "../probe-results.ts";
import type { Running, SetupDeps } from "./setup-deps.ts";

export async function* withServer({
  access,
  options,
  deps,
  isLeaving,
  mailHosts,
}: Running): AsyncGenerator<CheckResult> {
  const { domain, mailbox, addresses } = options;
  const facts = await access.facts({});
  const isPublished = yield* succeed(deps.publish(recordsFor(facts, addresses), mailHosts));
  const { ok, fix } = checking("setup", domain);
  if (!isPublished) return void (yield fix(publishFirst));
  yield* certificates(access, deps);
  yield await deps.account(access, mailbox);
  if (isLeaving) yield checking("provider", domain).warn(copiesStay);
  yield await offerProbe(access, mailbox);
  yield ok(`${facts.publicUrl} is yours. Ask \`kauke doctor\` whenever something seems wrong.`);
}

export const publishFirst = "Publish what is missing, then run this command again: it goes on from here.";

const copiesStay =
  "The aliases stay at the provider as they are now, and forward what still arrives there, even if they are paused or deleted here: delete the domain there tomorrow, when no name server has the old MX record any more.";

export async function* certificates(
  access: OperatorAccess,
  { certificateWait }: SetupDeps,
): AsyncGenerator<CheckResult> {
  await access["certificates-order"]({});
  const { limitMs, pauseMs } = certificateWait;
  const giveUpAt = Date.now() + limitMs;
  for (;;) {
    const { certificates } = await access.facts({});
    const results = checkIssued({ certificates });
    const isAwaited = results.some(({ state }, at) => {
      const status = certificates?.[at];
      if (state !== "warn" || status === undefined) return false;
      if (status.failure !== null && isForMailPrograms(status)) return false;
      // An issuer with a rate limit may name a time that is days away.
      return Date.parse(status.nextOrderAt) < giveUpAt;
    });
    if (!isAwaited || Date.now() > giveUpAt) {
      yield* results;
      return;
    }
    await pause(pauseMs);
  }
}

/** Records of the plan, and the addresses of this machine. */
function recordsFor(facts: ServerFacts, addresses: readonly string[]): DnsRecord[] {
  const plan = dnsPlan(facts);
  const hosts = [...new Set([new URL(facts.publicUrl).hostname, facts.mailHost])];
  return [
    ...hosts.flatMap((name) => addressRecords(name, addresses)),
    ...plan.mailHostRecords,
    ...plan.domains.flatMap(({ records }) => records),
    ...plan.aliases,
  ];
}

export function addressRecords(name: string, addresses: readonly string[]): DnsRecord[] {
  return addresses.map((address) => ({ type: address.includes(":") ? "AAAA" : "A", name, address }));
}

/** Passes results on. @returns whether none of them is to be mended */
export async function* succeed(results: AsyncIterable<CheckResult>): AsyncGenerator<CheckResult, boolean> {
  let isGood = true;
  for await (const result of results) {
    if (result.state === "fix") isGood = false;
    yield result;
  }
  return isGood;
}

export async function countAliases(access: Pick<OperatorAccess, "users-list">): Promise<number> {
  let count = 0;
  for (let after = ""; ; ) {
    const page = await access["users-list"]({ after, withEmail: false });
    count += page.reduce((sum, { aliases }) => sum + aliases, 0);
    const last = page.at(-1);
    if (last === undefined) return count;
    after = last.id;
  }
}
