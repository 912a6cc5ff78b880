/**
 * Whether the device is online and the server is reachable, according to the last request made through client.ts. No
 * request is made only to find out.
 */
import { useSyncExternalStore } from "react";

type Connection = "online" | "offline" | "unreachable";

let isReached = true;
const listeners = new Set<() => void>();

function set(value: boolean): void {
  if (isReached === value) return;
  isReached = value;
  for (const listener of listeners) listener();
}

/** Called when any response arrives, an error response included. */
export const markReached = (): void => set(true);
/** Called when a request fails without a response. */
export const markUnreachable = (): void => set(false);

function subscribe(listener: () => void): () => void {
  // Back online: whether the server is reachable is unknown until the next request.
  const onOnline = () => {
    isReached = true;
    listener();
  };
  listeners.add(listener);
  window.addEventListener("online", onOnline);
  window.addEventListener("offline", listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("online", onOnline);
    window.removeEventListener("offline", listener);
  };
}

function read(): Connection {
  if (!navigator.onLine) return "offline";
  return isReached ? "online" : "unreachable";
}

export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, read, () => "online");
}
