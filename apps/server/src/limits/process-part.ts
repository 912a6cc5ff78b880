/**
 * Limits that are counted in memory hold in each process. Where several processes serve the same people
 * (`KAUKE_WORKERS`), each has an equal part of the limit, rounded up.
 */
import type { BucketRule } from "./token-buckets.ts";

export const partOf = (limit: number, processes: number): number => Math.ceil(limit / processes);

export const partOfRule = (rule: BucketRule, processes: number): BucketRule => ({
  ...rule,
  max: partOf(rule.max, processes),
});

/** @param limits numbers of what may be in use at once */
export function partOfAll<Limits extends { [Name in keyof Limits]: number }>(
  limits: Limits,
  processes: number,
): Limits {
  const parts = Object.entries<number>(limits).map(([name, limit]) => [name, partOf(limit, processes)]);
  return Object.fromEntries(parts) as Limits;
}
