/** Kinds of calls that the provider limits apart: one that it asked us to wait with does not hold up the others. */
export type CallKind = "create" | "password" | "other";

export interface CallGates {
  /** Whole seconds until calls of this kind may be made; 0: now. */
  waitSeconds(kind: CallKind): number;
  /** @param seconds what the provider asked for; `null`: it gave no time @returns the seconds to wait */
  close(kind: CallKind, seconds: number | null): number;
}

const USUAL_SECONDS = 60;

/** @param nowMs monotonic */
export function callGates(nowMs: () => number): CallGates {
  const openAt = new Map<CallKind, number>();
  return {
    waitSeconds: (kind) => Math.max(0, Math.ceil(((openAt.get(kind) ?? 0) - nowMs()) / 1000)),
    close: (kind, seconds) => {
      const wait = seconds ?? USUAL_SECONDS;
      openAt.set(kind, nowMs() + wait * 1000);
      return wait;
    },
  };
}
