/** Whether the page answers to a press: false in a page that came drawn, until it has come to life. */
import { useSyncExternalStore } from "react";

const neverChanges = () => () => {};

export function useIsLive(): boolean {
  return useSyncExternalStore(
    neverChanges,
    () => true,
    () => false,
  );
}
