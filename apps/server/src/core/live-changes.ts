import type { LiveKind } from "@kauke/contract";

/** One commit changed rows of this kind in an account, or what is in memory only. */
export interface LiveChange {
  userId: string;
  kind: LiveKind;
}

export interface LiveChanges {
  /** Calls the listener after commits of every process; with `all` when some may have been missed. */
  onChange(listener: (change: LiveChange | "all") => void): void;
  /** Tells every process of a change that no commit shows. */
  tell(change: LiveChange): Promise<void>;
}
