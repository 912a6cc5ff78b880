/** The steps of setup at a forwarding provider: account, domains, aliases, and whether mail goes in and out there. */
import { setTimeout as pause } from "node:timers/promises";
import {
  type ProviderAccount,
  type ProviderDomain,
  ProviderError,
  type ProviderStanding,
} from "../../core/forwarding/provider-account.ts";
import { type CheckResult, checking } from "../doctor/check-result.ts";
import { whatToDo } from "../doctor/provider-checks.ts";
import type { ProviderDeps } from "./setup-deps.ts";

const CALL_MS = 60_000;
const timeLimit = () => AbortSignal.timeout(CALL_MS);

interface Checks {
  ok(says: string): CheckResult;
  warn(says: string): CheckResult;
  fix(says: string): CheckResult;
}

/** @returns what `work` says; a sentence to act on when the provider fails */
async function orProblem<T>({ fix }: Pick<Checks, "fix">, work: () => Promise<T>): Promise<T | CheckResult> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof ProviderError)) throw thrown;
    return fix(whatToDo[thrown.problem]);
  }
}

/** Reads the account and its domains; changes nothing. @param isSelfHosted in a copy, all plans and limits are its operator's */
export async function lookAtProvider(
  account: ProviderAccount,
  { domains, isSelfHosted }: { domains: readonly string[]; isSelfHosted: boolean },
): Promise<CheckResult[]> {
  const checks = checking("provider", "account");
  const standing = await orProblem(checks, async () => {
    const found = await account.standing(timeLimit());
    return found.plan === "free" && !isSelfHosted ? checks.fix(whatToDo.plan_needed) : standingOf(found, checks);
  });
  if (standing.state === "fix") return [standing];
  const results: CheckResult[] = [];
  for (const domain of domains) {
    const at = checking("provider", domain);
    results.push(
      await orProblem(at, async () => {
        const found = await account.domain(domain, timeLimit());
        return found === null ? at.warn("It is not there yet, and would be added.") : kindOf(found, at);
      }),
    );
  }
  return [standing, ...results];
}

function standingOf({ sending }: ProviderStanding, { ok }: Checks): CheckResult {
  return ok(`The key works.${sending === null ? "" : ` ${sending.limit} messages may leave a day.`}`);
}

function kindOf({ isShared, hasCatchAll }: ProviderDomain, { ok, warn, fix }: Checks): CheckResult {
  if (isShared)
    return fix(
      "The provider shares it between its customers: it can't send, and has 50 aliases at most. Use your own.",
    );
  if (hasCatchAll === true)
    return fix("Its catch-all forwards mail to names without an alias: delete the alias * there.");
  if (hasCatchAll === null) return warn("It is there. Make sure that it has no alias *, which would be a catch-all.");
  return ok("It is there, without a catch-all.");
}

/** New aliases that the public service takes a day. */
const ALIASES_A_DAY = 300;
/** Most senders try for five days to deliver a message. */
const DAYS_WAITED = 4;

/** Before a server that has aliases hands them over. While they are set up there, no mail arrives. */
export function handOver(aliases: number, isSelfHosted: boolean): CheckResult[] {
  if (aliases === 0) return [];
  const { warn } = checking("provider", `${aliases} aliases`);
  const days = isSelfHosted ? 1 : Math.ceil(aliases / ALIASES_A_DAY);
  const during = "Meanwhile this server takes no mail, so senders try again";
  if (days <= DAYS_WAITED)
    return [warn(`They are set up there within ${days === 1 ? "a day" : `${days} days`}. ${during}.`)];
  return [
    warn(
      `The provider takes ${ALIASES_A_DAY} new ones a day, so the last is there after ${days} days. ${during}, but they give up after about five days: ask the provider for a higher limit first.`,
    ),
  ];
}

/** Adds the domains that the account lacks. */
export async function* addDomains(account: ProviderAccount, domains: readonly string[]): AsyncGenerator<CheckResult> {
  for (const domain of domains) {
    const at = checking("provider", domain);
    const result = await orProblem(at, async () => {
      if ((await account.domain(domain, timeLimit())) !== null) return null;
      const added = await account.addDomain(domain, timeLimit());
      return kindOf(added, { ...at, ok: () => at.ok("Added, without a catch-all.") });
    });
    if (result !== null) yield result;
  }
}

export interface AtProvider {
  account: ProviderAccount;
  domains: readonly string[];
  wait: ProviderDeps["wait"];
}

export async function readDomains({ account, domains }: AtProvider): Promise<readonly ProviderDomain[] | CheckResult> {
  const found: ProviderDomain[] = [];
  for (const name of domains) {
    const at = checking("provider", name);
    const one = await orProblem(
      at,
      async () => (await account.domain(name, timeLimit())) ?? at.fix(whatToDo.domain_missing),
    );
    if ("says" in one) return one;
    found.push(one);
  }
  return found;
}

/** Calls `look` until it returns true, or the time is over. @returns whether it did @throws ProviderError */
async function until({ limitMs, pauseMs }: ProviderDeps["wait"], look: () => Promise<boolean>): Promise<boolean> {
  for (const giveUpAt = Date.now() + limitMs; ; await pause(pauseMs)) {
    if (await look()) return true;
    if (Date.now() + pauseMs > giveUpAt) return false;
  }
}

/** Until the provider has all aliases, mail must not be led there: it refuses mail to names that it does not know. */
export async function checkAliases({ account, domains }: AtProvider, aliases: number): Promise<CheckResult> {
  const at = checking("provider", "aliases");
  return await orProblem(at, async () => {
    const there = await countCopies(account, domains);
    if (there >= aliases) return at.ok(aliases === 0 ? "This server has none yet." : `All ${aliases} are there.`);
    return at.fix(
      `${there} of ${aliases} are there, and the MX records wait for the others: \`kauke provider push --yes\` sets them up and shows the progress. Then run this command again.`,
    );
  });
}

async function countCopies(account: ProviderAccount, domains: readonly string[]): Promise<number> {
  let count = 0;
  for (const domain of domains)
    for await (const page of account.copies(domain, timeLimit()))
      count += page.filter(({ aliasId }) => aliasId !== null).length;
  return count;
}

/** Whether the provider finds the domains' records. A resolver of its own may have cached what was there before. */
export async function* verifyForwarding({ account, domains, wait }: AtProvider): AsyncGenerator<CheckResult> {
  for (const domain of domains) {
    const at = checking("forwarding", domain);
    yield await orProblem(at, async () => {
      const isRight = await until(wait, () => account.verify(domain, "forwarding", timeLimit()));
      return isRight
        ? at.ok("The provider takes and forwards its mail.")
        : at.fix(
            "The provider does not find its records yet. No other MX, no second forward-email-site-verification and no forward-email= text may stand beside them. Run this command again later.",
          );
    });
  }
}

/** @param isOwnWay whether mail leaves another way than through the provider */
export async function* checkSending(
  { account, domains }: AtProvider,
  { isOwnWay, pageOf }: { isOwnWay: boolean; pageOf(domain: string): string },
): AsyncGenerator<CheckResult> {
  if (isOwnWay) return;
  for (const domain of domains) {
    const at = checking("sending", domain);
    yield await orProblem(at, async () => {
      const found = await account.domain(domain, timeLimit());
      if (found === null) return at.fix(whatToDo.domain_missing);
      if (found.isSendingSuspended) return at.fix(`The provider has suspended it: ask there why. ${nothingLeaves}`);
      if (found.maySend) return at.ok("It may send through the provider.");
      const hasRecords = await account.verify(domain, "sending", timeLimit());
      const next = hasRecords
        ? "Its records are right, and the provider's approval, given by a person, is awaited"
        : `Publish the records for sending (DKIM, Return-Path, DMARC) that ${pageOf(domain)} shows, and ask for approval there`;
      return at.warn(`It may not send yet. ${next}. ${nothingLeaves}`);
    });
  }
}

const nothingLeaves =
  "Until then no message leaves: no sign-in mail, and no link by which a mailbox is confirmed, without which its aliases do not forward. To send another way, set KAUKE_RELAY_URL and KAUKE_DELIVERY=relay.";
