/** Messages between tabs, by BroadcastChannel: nothing is stored (specification section 3). */
export type TabMessage =
  | { kind: "signed-in"; userId: string }
  /** `lost`: the server ended the session. */
  | { kind: "signed-out"; inactive: boolean; lost: boolean }
  | { kind: "activity"; at: number }
  | { kind: "checked"; at: number }
  /** This tab has written something, so other tabs may show stale data. */
  | { kind: "changed" }
  /** Sent by a tab that was suspended, to learn of activity in other tabs. */
  | { kind: "who-was-active" };

const NAME = "session";
/** One channel per tab: two would receive each other's messages. */
let open: BroadcastChannel | null = null;
const listeners = new Set<(message: TabMessage) => void>();

/** Opens the channel on first use: prerendering has no BroadcastChannel. */
function channel(): BroadcastChannel {
  if (open === null) {
    open = new BroadcastChannel(NAME);
    open.onmessage = ({ data }: MessageEvent<TabMessage>) => {
      for (const listener of listeners) listener(data);
    };
  }
  return open;
}

export function tellTabs(message: TabMessage): void {
  channel().postMessage(message);
}

export function listenToTabs(listener: (message: TabMessage) => void): () => void {
  channel();
  listeners.add(listener);
  return () => listeners.delete(listener);
}
