import { useSyncExternalStore } from "react";
import { linkTokenOf } from "./link-token.ts";

/** Also when a second link is opened in the same tab: that changes nothing but the hash. */
export function useLinkToken(): string | null {
  const hash = useSyncExternalStore(
    (listener) => {
      window.addEventListener("hashchange", listener);
      return () => window.removeEventListener("hashchange", listener);
    },
    () => window.location.hash,
    () => "",
  );
  return linkTokenOf(hash);
}
