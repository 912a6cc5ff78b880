/**
 * What the open tabs of one browser tell each other about the session and its data. Nothing of it is stored: a BroadcastChannel, since the
 * specification's section 3 names every entry of the local storage. Only tabs of this origin hear it.
 */
export type TabMessage =
  /** Somebody is signed in there, whichever way. */
  | { kind: "signed-in"; userId: string }
  /** `inactive`: nobody did; it was the end of the time without activity. `lost`: the session had been ended elsewhere. */
  | { kind: "signed-out"; inactive: boolean; lost: boolean }
  /** Somebody was active there at this moment of `Date.now()`. */
  | { kind: "activity"; at: number }
  /** The server was asked for the session at this moment, and has it. */
  | { kind: "checked"; at: number }
  /** Something of the account was changed there: what is shown elsewhere may be old. */
  | { kind: "changed" }
  /** A tab that slept wants to know whether somebody was active elsewhere. */
  | { kind: "who-was-active" };

const NAME = "session";
/** One for the tab: a channel does not hear itself. */
let open: BroadcastChannel | null = null;
const listeners = new Set<(message: TabMessage) => void>();

/** Opened with the first use: not where pages are prerendered. */
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
