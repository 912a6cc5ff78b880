/**
 * Divides a limit among workers by what each has, so that together they have exactly the limit: every worker computes
 * the same division. Largest remainders first, and of equal remainders the lowest worker number. Pure.
 * @param own number and count of the worker whose part is asked for
 * @param others the same of the other workers
 * @returns the part of the worker `own`; all it has if the sum is within the limit. E.g. 2 for a limit of 3 and counts
 * of 4 (own) and 3
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
