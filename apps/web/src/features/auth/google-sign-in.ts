/** Whether the server has federated sign-in configured, which pages know from a meta element. */
import { googleSignInMeta } from "@kauke/contract";
import { useSyncExternalStore } from "react";

/**
 * True if the page's meta element says "off": without the element the button leads to the server, which reports the
 * problem.
 */
export function isGoogleOff(): boolean {
  return document.querySelector<HTMLMetaElement>(`meta[name="${googleSignInMeta}"]`)?.content === "off";
}

const neverChanges = () => () => {};

/** `isGoogleOff` as a hook; false during hydration, because pages are prerendered that way. */
export function useGoogleOff(): boolean {
  return useSyncExternalStore(neverChanges, isGoogleOff, () => false);
}
