import { googleSignInMeta } from "@kauke/contract";

/** Whether federated sign-in is set up, for the pages that offer it. */
export function googleMeta(isOn: boolean): string {
  return `<meta name="${googleSignInMeta}" content="${isOn ? "on" : "off"}">`;
}
