import { googleSignInMeta } from "@kauke/contract";

/** `<meta>` element that tells the web app whether federated sign-in is configured. */
export function googleMeta(isOn: boolean): string {
  return `<meta name="${googleSignInMeta}" content="${isOn ? "on" : "off"}">`;
}
