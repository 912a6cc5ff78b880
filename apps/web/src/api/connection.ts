/**
 * Whether the device is online and the server is reachable, according to the last request made through client.ts. No
 * request is made only to find out.
 */
import { useSyncExternalStore } from "react";
import { makeStore } from "../ui/store.ts";

type Connection = "online" | "offline" | "unreachable";

const reached = makeStore(true);

/** Called when any response arrives, an error response included. */
export const markReached = (): void => reached.set(true);
/** Called when a request fails without a response. */
export const markUnreachable = (): void => reached.set(false);

function subscribe(listener: () => void): () => void {
  // Back online: whether the server is reachable is unknown until the next request.
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
