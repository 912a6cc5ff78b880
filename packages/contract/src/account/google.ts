/** Reasons why a federated sign-in failed. A cookie holds the key only: no text from an issuer is ever shown. */
import { googleOffText } from "./google-off.ts";
import { registrationMessages } from "./registration.ts";

/** Cookie with the reason of a failed sign-in, readable by the page's scripts for a minute. */
export const googleFailureCookie = "google-login-failed";

/** Only a page opened with this fragment reads the cookie; the page that is being left could delete it before. */
export const googleFailureHash = "#google-login-failed";

export const googleFailureTitle = "Google Login Failed";

export const googleFailureTexts = {
  failed: "Failed to login with Google",
  off: googleOffText,
  denied: "The sign-in was cancelled at Google.",
  expired: "The sign-in took too long, or was begun in another browser. Please try again.",
  unreachable: "Google could not be reached. Please try again in a moment.",
  unverified: "Your Google account has no verified e-mail address. Verify it there, then try again.",
  exists:
    "An account with this e-mail already exists. Sign in with its password and confirm the address in Settings, then Google leads there too.",
  taken: "An account with this e-mail already exists. Please sign in to it the way you did before.",
  registration_closed: registrationMessages.closed,
  invite_required: registrationMessages.invite,
  linked_elsewhere: "This Google account signs in to another account, so it can't be linked to this one.",
  has_one: "A Google account signs in to this account already. Remove it first.",
  other_person: "This is not the Google account that signs in to your account.",
  too_late: "It took longer than five minutes. Please sign in anew and try again.",
  limited: "Too many sign-in attempts from your network. Please wait before you try again.",
} as const;

export type GoogleFailure = keyof typeof googleFailureTexts;
