/** Whether the server is reachable is learned from the app's own requests only. */
import { useSyncExternalStore } from "react";
import { makeStore } from "../ui/store.ts";

type Connection = "online" | "offline" | "unreachable";

const reached = makeStore(true);

/** Any response shows that the server is reachable, error responses included. */
export const markReached = (): void => reached.set(true);
export const markUnreachable = (): void => reached.set(false);

/** Calls `listener` when a response arrives after a time without, and when the browser is online again. */
export function onBack(listener: () => void): void {
  reached.subscribe(() => reached.read() && listener());
  window.addEventListener("online", listener);
}

function subscribe(listener: () => void): () => void {
  // The browser is back online; whether the server is reachable is unknown until the next request.
  const onOnline = () => {
    reached.set(true);
    listener();
  };
  const stop = reached.subscribe(listener);
  window.addEventListener("online", onOnline);
  window.addEventListener("offline", listener);
  return () => {
    stop();
    window.removeEventListener("online", onOnline);
    window.removeEventListener("offline", listener);
  };
}

function read(): Connection {
  if (!navigator.onLine) return "offline";
  return reached.read() ? "online" : "unreachable";
}

export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, read, () => "online");
}
