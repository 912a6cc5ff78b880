import type { EndpointName } from "@kauke/contract";

/**
 * Calls other than GET after which other tabs need not reload their data. They learn of sign-ins and sign-outs by
 * separate messages (session-tabs.ts).
 */
export const changesNothing: ReadonlySet<EndpointName> = new Set([
  "register",
  "login",
  "walletSignIn",
  "logout",
  "askPasswordReset",
  "readPasswordReset",
  "askSignInLink",
  "readSignInLink",
  "signInByLink",
  "proveByPassword",
  "proveByWallet",
  "proveByGoogle",
  "askWalletChallenge",
  "linkGoogle",
  "askEmailChange",
  "readEmailChange",
  "readConfirmation",
  "countEvent",
  "generateName",
  "decryptAuto",
  "decryptManual",
]);
