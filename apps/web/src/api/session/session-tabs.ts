/**
 * Messages between the open tabs of one browser about the session and its data. They use a BroadcastChannel and are
 * never stored, because the specification's section 3 lists every entry of the local storage. Only tabs of this origin
 * receive them.
 */
export type TabMessage =
  /** The sending tab has a signed-in user: one who just signed in there, or whose session it found on loading. */
  | { kind: "signed-in"; userId: string }
  /** The sending tab signed out: `inactive` by the inactivity timeout, `lost` because the server ended the session. */
  | { kind: "signed-out"; inactive: boolean; lost: boolean }
  /** There was user activity in the sending tab at this time (`Date.now()`). */
  | { kind: "activity"; at: number }
  /** The sending tab is asking the server for the session, since this time (`Date.now()`). */
  | { kind: "checked"; at: number }
  /** The sending tab changed data of the account: what other tabs show may be stale. */
  | { kind: "changed" }
  /** A tab that was suspended asks when the others last saw activity. */
  | { kind: "who-was-active" };

const NAME = "session";
/** The tab's single channel: two channels in one tab would receive each other's messages. */
let open: BroadcastChannel | null = null;
const listeners = new Set<(message: TabMessage) => void>();

/** Opens the channel on first use, since there is none where pages are prerendered. */
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
