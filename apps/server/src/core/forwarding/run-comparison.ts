/** Compares all aliases with the forwarding provider's copies, and has the provider's side repaired. */
import { bounds } from "../../limits/table.ts";
import type { Clock } from "../../runtime/ports.ts";
import { type Alias, type AliasStore, aliasAddress } from "../alias/alias.ts";
import { type CopyDifference, compareCopies, type DifferenceKind, differenceKinds, type OurAlias } from "./compare.ts";
import { nothingKnown } from "./forwarding-provider.ts";
import { type ProviderAccount, type ProviderCopy, ProviderError } from "./provider-account.ts";
import type { ProviderInventory } from "./provider-inventory.ts";
import { wantedRecord } from "./wanted-record.ts";

export interface ComparisonDeps {
  aliases: Pick<AliasStore, "findMany" | "findRoute">;
  providerInventory: ProviderInventory;
  account: ProviderAccount;
  ownDomains: readonly string[];
  isConfirmationNeeded: boolean;
  clock: Clock;
}

export interface Comparison {
  at: Date;
  /** Aliases compared, here and there. */
  ours: number;
  theirs: number;
  /** Aliases that changed meanwhile or are being set up, so that nothing can be said of them yet. */
  changing: number;
  /** Of the compared aliases, those that are switched off at the provider although they are active. */
  held: number;
  counts: Readonly<Record<DifferenceKind, number>>;
  differences: readonly CopyDifference[];
}

const AT_ONCE = 500;

/** @throws ProviderError */
export async function runComparison(deps: ComparisonDeps, signal: AbortSignal): Promise<Comparison> {
  const at = deps.clock.now();
  const seen = { ours: 0, theirs: 0, held: 0 };
  const found = await compareCopies(ourPages(deps, seen, signal), theirPages(deps, seen, signal));
  const differences: CopyDifference[] = [];
  for (let from = 0; from < found.length; from += AT_ONCE)
    differences.push(...(await settledAmong(deps, found.slice(from, from + AT_ONCE))));
  const counts = Object.fromEntries(differenceKinds.map((kind) => [kind, 0])) as Record<DifferenceKind, number>;
  for (const { kind } of differences) counts[kind] += 1;
  return { at, ...seen, changing: found.length - differences.length, counts, differences };
}

/** What has to be repaired; foreign copies are only listed. */
export function countDifferences({ counts }: Pick<Comparison, "counts">): number {
  return differenceKinds.reduce((sum, kind) => sum + (kind === "foreign" ? 0 : counts[kind]), 0);
}

interface Seen {
  ours: number;
  theirs: number;
  held: number;
}

async function* ourPages(deps: ComparisonDeps, seen: Seen, signal: AbortSignal): AsyncGenerator<OurAlias[]> {
  for await (const page of deps.providerInventory.pages()) {
    signal.throwIfAborted();
    // Before the aliases are read, so that a later change has a higher number.
    const versions = await deps.providerInventory.versions(page.map(({ aliasId }) => aliasId));
    const ours: OurAlias[] = [];
    for (const alias of await aliasesOf(deps, page)) {
      if (!deps.ownDomains.includes(alias.domain)) continue;
      const record = await wantedOf(deps, alias);
      if (record === null) continue;
      if (record.held !== null) seen.held += 1;
      ours.push({ aliasId: alias.id, record, version: versions.get(alias.id)?.wanted ?? 0 });
    }
    seen.ours += ours.length;
    yield ours;
  }
}

async function aliasesOf(
  { aliases }: Pick<ComparisonDeps, "aliases">,
  page: readonly { aliasId: string; userId: string }[],
): Promise<Alias[]> {
  const found: Alias[] = [];
  for (const [userId, mine] of Map.groupBy(page, (one) => one.userId)) {
    const ids = mine.map(({ aliasId }) => aliasId);
    found.push(...(await aliases.findMany(userId, ids)));
  }
  return found;
}

/** `null`: the alias changes at this moment. */
async function wantedOf({ aliases, isConfirmationNeeded }: ComparisonDeps, alias: Alias) {
  const route = await aliases.findRoute(aliasAddress(alias.name, alias.domain));
  return route?.aliasId === alias.id ? wantedRecord({ alias, route, password: null, isConfirmationNeeded }) : null;
}

async function* theirPages(
  { account, ownDomains }: ComparisonDeps,
  seen: Seen,
  signal: AbortSignal,
): AsyncGenerator<readonly ProviderCopy[]> {
  let count = 0;
  for (const domain of ownDomains)
    for await (const page of pagesOf(account, domain, signal)) {
      count += 1;
      if (count > bounds.providerComparison.pages) throw new ProviderError("broken_response");
      seen.theirs += page.length;
      yield page;
    }
}

/** All copies of a domain; none of a domain that the provider does not have. @throws ProviderError */
export async function* pagesOf(
  account: ProviderAccount,
  domain: string,
  signal: AbortSignal,
): AsyncGenerator<readonly ProviderCopy[]> {
  try {
    yield* account.copies(domain, signal);
  } catch (thrown) {
    if (!(thrown instanceof ProviderError) || thrown.problem !== "domain_missing") throw thrown;
  }
}

/** Leaves out what changed while the two sides were read, and what the outbox is about to do. */
async function settledAmong(
  { providerInventory }: ComparisonDeps,
  found: readonly CopyDifference[],
): Promise<CopyDifference[]> {
  const ids = found.flatMap(({ aliasId }) => (aliasId === null ? [] : [aliasId]));
  const versions = await providerInventory.versions(ids);
  return found.filter(({ kind, aliasId, version }) => {
    const row = aliasId === null ? undefined : versions.get(aliasId);
    // A left-over that is in the outbox is an alias made or deleted meanwhile.
    if (version === null) return row === undefined;
    // A conflict stays in the outbox until a person ends it.
    return (row?.wanted ?? 0) === version && (kind === "conflict" || row?.wanted === row?.done);
  });
}

export interface Repaired {
  /** Aliases that are set up again. */
  again: number;
  /** Copies with our mark, but without an alias, that are deleted. */
  removed: number;
}

/** Ours to theirs, by the outbox: makes aliases due, and has left-overs deleted. Leaves conflicts and foreign copies alone. */
export async function repairDifferences(
  { providerInventory }: Pick<ComparisonDeps, "providerInventory">,
  differences: readonly CopyDifference[],
): Promise<Repaired> {
  const repaired: Repaired = { again: 0, removed: 0 };
  const due = differences.filter(({ kind }) => kind === "missing" || kind === "different");
  const ids = due.flatMap(({ aliasId }) => (aliasId === null ? [] : [aliasId]));
  for (let from = 0; from < ids.length; from += AT_ONCE)
    repaired.again += await providerInventory.lookAgain(ids.slice(from, from + AT_ONCE));
  const leftOvers = differences.flatMap(({ kind, aliasId, providerId, address }) =>
    kind === "left_over" && aliasId !== null ? [{ aliasId, known: { ...nothingKnown, providerId, address } }] : [],
  );
  repaired.removed = await providerInventory.wantGone(leftOvers);
  return repaired;
}
