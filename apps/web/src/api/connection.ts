/** Whether this device is online and our server answers, as far as the last request tells. Nothing is asked just to know. */
import { useSyncExternalStore } from "react";

export type Connection = "online" | "offline" | "unreachable";

let isReached = true;
const listeners = new Set<() => void>();

function set(value: boolean): void {
  if (isReached === value) return;
  isReached = value;
  for (const listener of listeners) listener();
}

/** An answer came, whatever it said. */
export const markReached = (): void => set(true);
/** None came. */
export const markUnreachable = (): void => set(false);

function subscribe(listener: () => void): () => void {
  // Back in the network: until the next request nobody knows better.
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
