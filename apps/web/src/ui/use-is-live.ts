/** Whether the page answers to a press: false in a page that came drawn, until it has come to life. What would do nothing till then is disabled. */
import { useSyncExternalStore } from "react";

const neverChanges = () => () => {};

export function useIsLive(): boolean {
  return useSyncExternalStore(
    neverChanges,
    () => true,
    () => false,
  );
}
