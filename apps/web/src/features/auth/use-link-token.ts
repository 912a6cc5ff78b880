import { useSyncExternalStore } from "react";
import { linkTokenOf } from "./link-token.ts";

/** The link's token. Follows hash changes: a second link opened in the same tab changes only the hash. */
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
