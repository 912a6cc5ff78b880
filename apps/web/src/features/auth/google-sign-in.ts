/**
 * What a page knows of federated sign-in: whether the server has it set up, told in the document, and why the last try failed,
 * told in a cookie that is read once.
 */
import {
  type GoogleFailure,
  googleFailureCookie,
  googleFailureHash,
  googleFailureTexts,
  googleFailureTitle,
  googleSignInMeta,
} from "@kauke/contract";
import { useSyncExternalStore } from "react";
import { showFailure } from "../../ui/toast-store.ts";

export type GoogleSignIn = "on" | "off";

/** On unless the document says otherwise: without the server's word the way leads to the server, which knows. */
export function readGoogleSignIn(): GoogleSignIn {
  const selector = `meta[name="${googleSignInMeta}"]`;
  return document.querySelector<HTMLMetaElement>(selector)?.content === "off" ? "off" : "on";
}

const neverChanges = () => () => {};

/** The same for components; on while a prerendered page comes to life, as it was drawn. */
export function useGoogleSignIn(): GoogleSignIn {
  return useSyncExternalStore(neverChanges, readGoogleSignIn, () => "on");
}

export function sayGoogleIsOff(): void {
  showFailure(googleFailureTitle, googleFailureTexts.off);
}

/** @param cookies as `document.cookie` has them @returns `null` without the cookie; a word we don't know is a plain failure */
export function googleFailureIn(cookies: string): GoogleFailure | null {
  const found = cookies.split("; ").find((it) => it.startsWith(`${googleFailureCookie}=`));
  if (found === undefined) return null;
  const word = found.slice(googleFailureCookie.length + 1);
  return Object.hasOwn(googleFailureTexts, word) ? (word as GoogleFailure) : "failed";
}

/** Shows why the last try failed, once: a reload says nothing. */
export function showGoogleFailure(): void {
  if (window.location.hash !== googleFailureHash) return;
  window.history.replaceState(window.history.state, "", window.location.pathname + window.location.search);
  const failure = googleFailureIn(document.cookie);
  if (failure === null) return;
  document.cookie = `${googleFailureCookie}=; Path=/; Max-Age=0; SameSite=Lax`;
  showFailure(googleFailureTitle, googleFailureTexts[failure]);
}
