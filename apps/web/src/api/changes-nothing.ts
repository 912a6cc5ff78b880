import type { EndpointName } from "@kauke/contract";

/**
 * Calls other than GET after which nothing looks different in another tab; signing in and out is told apart from these.
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
  "decryptAuto",
  "decryptManual",
]);
