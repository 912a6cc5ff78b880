/** Text in a file of its own, because the landing page must not load google.ts. */

export const googleOffText = "Google is not set up on this server.";

/** Name of a `<meta>` element whose content is `on` or `off`. */
export const googleSignInMeta = "google-sign-in";
