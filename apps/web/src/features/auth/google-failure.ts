import {
  type GoogleFailure,
  googleFailureCookie,
  googleFailureHash,
  googleFailureTexts,
  googleFailureTitle,
} from "@kauke/contract";
import { messageOf } from "../../api/error-text.ts";
import { said } from "../../texts/said.ts";
import { showFailure } from "../../ui/toast-store.ts";

/** Why a sign-in with Google failed; unknown reasons mean "failed". @param cookies value of `document.cookie` */
export function googleFailureIn(cookies: string): GoogleFailure | null {
  const found = cookies.split("; ").find((cookie) => cookie.startsWith(`${googleFailureCookie}=`));
  if (found === undefined) return null;
  const word = found.slice(googleFailureCookie.length + 1);
  return Object.hasOwn(googleFailureTexts, word) ? (word as GoogleFailure) : "failed";
}

/** Shows the reason once; a reload shows nothing. */
export function showGoogleFailure(): void {
  if (window.location.hash !== googleFailureHash) return;
  window.history.replaceState(window.history.state, "", window.location.pathname + window.location.search);
  const failure = googleFailureIn(document.cookie);
  if (failure === null) return;
  document.cookie = `${googleFailureCookie}=; Path=/; Max-Age=0; SameSite=Lax`;
  showFailure(said(googleFailureTitle), said(googleFailureTexts[failure]));
}

export function sayGoogleFailure(error: Error): void {
  showFailure(said(googleFailureTitle), messageOf(error, said(googleFailureTexts.failed)));
}

export function sayGoogleIsOff(): void {
  showFailure(said(googleFailureTitle), said(googleFailureTexts.off));
}
