/** Text in a file of its own, because the landing page must not load google.ts. */

export const googleOffText = "Google is not set up on this server.";

export const googleSignInMeta = "google-sign-in";
