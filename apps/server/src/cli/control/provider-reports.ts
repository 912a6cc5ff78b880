/** What the commands on the forwarding provider are told. */
import type { ProviderProblem } from "@kauke/contract";
import type { CopyDifference } from "../../core/forwarding/compare.ts";
import type { OperatorCopy } from "../../core/forwarding/operator-copies.ts";
import type { PlannedAdoption } from "../../core/forwarding/plan-adoption.ts";
import type { ProviderDomain, ProviderStanding } from "../../core/forwarding/provider-account.ts";
import type { UnfinishedAlias } from "../../core/forwarding/provider-alias.ts";
import type { Comparison } from "../../core/forwarding/run-comparison.ts";

/** Aliases of the whole server. */
export interface OutboxFigures extends Readonly<Record<UnfinishedAlias["state"], number>> {
  /** The last comparison; `null` before the first. */
  last: { at: string; differences: number } | null;
}

export interface ProviderState {
  name: string;
  /** Origin of its API. */
  url: string;
  /** Why account and domains could not be read; both are empty then. */
  problem: ProviderProblem | null;
  standing: ProviderStanding | null;
  /** One for each of KAUKE_DOMAINS. `found`: `null` if the account there lacks it; `operators`: its postmaster@ and abuse@. */
  domains: readonly { domain: string; found: ProviderDomain | null; operators: readonly OperatorCopy[] }[];
  isPostmasterGiven: boolean;
  figures: OutboxFigures;
  /** Queued deliveries that only our own engine can send. */
  forEngine: number;
  /** Aliases from before the provider was switched on, which it does not have. */
  unpushed: number;
}

export type ShownDifference = Pick<CopyDifference, "kind" | "aliasId" | "providerId" | "parts"> & {
  /** Only when asked for. */
  address?: string | null;
};

export interface ComparisonReport extends Omit<Comparison, "at" | "differences"> {
  at: string;
  /** The first `LISTED_MAX`. */
  differences: readonly ShownDifference[];
}

export interface AdoptionReport {
  toAdopt: number;
  refused: number;
  unconfirmed: readonly string[];
  /** The first `LISTED_MAX`; `refusal` and `remark` are sentences. */
  rows: readonly AdoptionRow[];
}

export interface AdoptionRow extends Pick<PlannedAdoption, "refusal" | "remark"> {
  address: string;
  destinations: number;
  isActive: boolean;
}
