/** What a page needs to say that federated sign-in is not set up; apart from the reasons of failures, for small pages. */

/** Name of the `<meta>` element whose content is `on` or `off`: whether federated sign-in is set up on this server. */
export const googleSignInMeta = "google-sign-in";

export const googleOffText = "Google is not set up on this server.";
