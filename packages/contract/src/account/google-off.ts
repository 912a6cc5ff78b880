/** Apart from google.ts, whose texts the landing page must not load. */

export const googleOffText = "Google is not set up on this server.";

/** Name of a `<meta>` element whose content is `on` or `off`. */
export const googleSignInMeta = "google-sign-in";
