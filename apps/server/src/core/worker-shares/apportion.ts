/**
 * Divides a limit among workers in proportion to their counts. Every worker computes the same division, so the parts
 * add up to exactly the limit. What rounding down leaves over goes to the largest remainders, and of equal remainders
 * to the lowest worker number. Pure.
 * @param own number and count of the worker whose part is computed
 * @param others numbers and counts of the other workers
 * @returns part of the worker `own`; its whole count if the sum of all counts is within the limit. E.g. 2 for a limit
 * of 3 and counts of 4 (own) and 3
 */
export function apportion(limit: number, own: WorkerCount, others: readonly WorkerCount[]): number {
  const sum = others.reduce((total, { count }) => total + count, own.count);
  if (sum <= limit) return own.count;
  const partOf = ({ count }: WorkerCount) => (count * limit) / sum;
  const left = [own, ...others].reduce((rest, worker) => rest - Math.floor(partOf(worker)), limit);
  const remainder = (worker: WorkerCount) => partOf(worker) % 1;
  const mine = remainder(own);
  const ahead = others.filter((worker) => {
    const theirs = remainder(worker);
    return theirs > mine || (theirs === mine && worker.worker < own.worker);
  });
  return Math.floor(partOf(own)) + (ahead.length < left ? 1 : 0);
}

export interface WorkerCount {
  worker: number;
  count: number;
}
