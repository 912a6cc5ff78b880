/** What the operator does at the forwarding provider. Addresses are returned only when asked for. */
import { providerProblems } from "@kauke/contract/provider-problems";
import { mailDomains } from "../../core/domain/mail-domains.ts";
import { type AdoptDeps, adoptCopies, planCopies } from "../../core/forwarding/adopt-copies.ts";
import type { CopyDifference } from "../../core/forwarding/compare.ts";
import { readOperatorCopies } from "../../core/forwarding/operator-copies.ts";
import type { PlannedAdoption } from "../../core/forwarding/plan-adoption.ts";
import { type ProviderAccount, ProviderError } from "../../core/forwarding/provider-account.ts";
import { repairDifferences } from "../../core/forwarding/run-comparison.ts";
import type { ProviderComparison } from "../../platform/provider-comparison.ts";
import type { Clock, Random } from "../../runtime/ports.ts";
import type { Config } from "../../settings/config.ts";
import type { Store } from "../../store/open-store.ts";
import { type ControlHandlers, OperatorError } from "./control-protocol.ts";
import type { AdoptionRow, OutboxFigures, ProviderState } from "./provider-reports.ts";

export interface ProviderView {
  about: { name: string; smtpHost: string };
  account: ProviderAccount;
  comparison: ProviderComparison;
  isConfirmationNeeded: boolean;
}

/** Rows that a report lists, so that a response stays below its maximum. */
export const LISTED_MAX = 5000;
export const ADOPTED_AT_ONCE = 500;
const PUSHED_AT_ONCE = 1000;
const STATE_MS = 60_000;
const CALL_MS = 3_600_000;

export const forwardsByItself =
  "This server forwards by itself. To have a provider do it, set KAUKE_FORWARDING=forward-email and KAUKE_PROVIDER_KEY, and start the server again.";

interface View {
  config: Pick<Config, "domains" | "forwarding" | "postmaster">;
  store: Store;
  clock: Clock;
  random: Random;
  provider: ProviderView | null;
}

type ProviderCalls = Pick<ControlHandlers, Extract<keyof ControlHandlers, `provider-${string}`>>;

export function providerCalls(view: View): ProviderCalls {
  const { store, provider } = view;
  const needed = (): ProviderView => {
    if (provider === null) throw new OperatorError(forwardsByItself);
    return provider;
  };
  return {
    "provider-state": async () => (provider === null ? null : await stateOf(view, provider)),
    "provider-figures": async () => await figuresOf(store, needed()),
    "provider-check": async ({ withAddress }) => {
      const comparison = await explained(needed().comparison.run());
      const shown = comparison.differences.slice(0, LISTED_MAX);
      const addresses = withAddress ? await addressesOf(store, shown) : null;
      const differences = shown.map(({ kind, aliasId, providerId, parts, address }) => ({
        kind,
        aliasId,
        providerId,
        parts,
        ...(addresses === null ? {} : { address: address ?? addresses.get(aliasId ?? "") ?? null }),
      }));
      return { ...comparison, at: comparison.at.toISOString(), differences };
    },
    "provider-repair": async () => {
      const { comparison } = needed();
      await comparison.keepOperatorCopies();
      const { differences } = await explained(comparison.run());
      return await repairDifferences(store, differences);
    },
    "provider-push": async ({ after }) => {
      const provider = needed();
      if (after === "") {
        await provider.comparison.keepOperatorCopies();
        await wantLost(store, provider);
      }
      return { after: (await store.providerAliases.wantAll(after === "" ? null : after, PUSHED_AT_ONCE)) ?? "" };
    },
    "provider-adopt-plan": async ({ userId }) => {
      const deps = adoptDeps(view, needed());
      const { rows, unconfirmed } = await explained(planCopies(deps, userId, AbortSignal.timeout(CALL_MS)));
      const refused = rows.filter(({ refusal }) => refusal !== null).length;
      return { toAdopt: rows.length - refused, refused, unconfirmed, rows: rows.slice(0, LISTED_MAX).map(rowOf) };
    },
    "provider-adopt": ({ userId }) => {
      const deps = adoptDeps(view, needed());
      return explained(adoptCopies(deps, { userId, most: ADOPTED_AT_ONCE }, AbortSignal.timeout(CALL_MS)));
    },
  };
}

/** What the provider has lost, or others changed there; no call is made for a copy that counts as right. */
async function wantLost(store: Store, { comparison }: ProviderView): Promise<void> {
  const { differences } = await explained(comparison.run());
  const isKnown = ({ kind, version }: CopyDifference) => kind !== "left_over" && version !== null && version > 0;
  await repairDifferences(store, differences.filter(isKnown));
}

async function stateOf({ config, store }: View, provider: ProviderView): Promise<ProviderState> {
  const { about, account } = provider;
  const known = {
    name: about.name,
    url: config.forwarding.kind === "engine" ? "" : config.forwarding.url.href,
    figures: await figuresOf(store, provider),
    isPostmasterGiven: config.postmaster !== null,
    forEngine: await store.deliveries.countForEngine(),
    unpushed: await store.providerAliases.countUnpushed(),
  };
  const signal = AbortSignal.timeout(STATE_MS);
  try {
    const standing = await account.standing(signal);
    const domains: ProviderState["domains"][number][] = [];
    for (const domain of config.domains) {
      const found = await account.domain(domain, signal);
      const deps = { account, postmaster: config.postmaster };
      const isOurs = found !== null && !found.isShared;
      const operators = isOurs ? await readOperatorCopies(deps, domain, signal).catch(unlessPlan) : [];
      domains.push({ domain, found, operators });
    }
    return { ...known, problem: null, standing, domains };
  } catch (thrown) {
    if (!(thrown instanceof ProviderError)) throw thrown;
    return { ...known, problem: thrown.problem, standing: null, domains: [] };
  }
}

/** Without a plan there are no aliases; the account's standing says so. */
function unlessPlan(thrown: unknown): [] {
  if (thrown instanceof ProviderError && thrown.problem === "plan_needed") return [];
  throw thrown;
}

async function figuresOf({ providerAliases }: Store, { comparison }: ProviderView): Promise<OutboxFigures> {
  const { waiting, failed, held } = await providerAliases.figures();
  const last = await comparison.last();
  return { waiting, failed, held, last: last === null ? null : { ...last, at: last.at.toISOString() } };
}

/** @throws OperatorError instead of a ProviderError */
function explained<T>(work: Promise<T>): Promise<T> {
  return work.catch((thrown: unknown) => {
    if (!(thrown instanceof ProviderError)) throw thrown;
    throw new OperatorError(`Not possible now: ${providerProblems[thrown.problem]}.`, { cause: thrown });
  });
}

async function addressesOf({ aliases }: Store, shown: readonly CopyDifference[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const { kind, aliasId } of shown) {
    if (kind !== "missing" || aliasId === null) continue;
    const route = await aliases.findRouteById(aliasId);
    if (route !== null) found.set(aliasId, route.address);
  }
  return found;
}

function adoptDeps({ config, store, clock, random }: View, { account, isConfirmationNeeded }: ProviderView): AdoptDeps {
  const domains = mailDomains(config.domains, store.provenDomains);
  return { ...store, account, isConfirmationNeeded, mailDomains: domains, clock, random };
}

function rowOf({ copy, refusal, remark }: PlannedAdoption): AdoptionRow {
  const { address, recipients, isEnabled } = copy;
  return { address, destinations: recipients.length, isActive: isEnabled, refusal, remark };
}
