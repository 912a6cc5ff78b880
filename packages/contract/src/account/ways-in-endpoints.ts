/** Routes that change the ways to sign in to an account; part of the table in `endpoints.ts`. */
import * as z from "zod";
import type { EndpointShapes } from "../endpoint.ts";
import { signInWire } from "./sign-in.ts";
import { walletChallenge } from "./wallet.ts";
import {
  emailChangeLink,
  emailChangeRequest,
  googleProofBody,
  passwordProofBody,
  walletChallengeRequest,
  walletProofBody,
} from "./ways-in.ts";

const message = z.object({ message: z.string() });
const issuerPage = z.object({ /** Address of the issuer's page that the browser opens next. */ url: z.string() });

export const waysInEndpoints = {
  proveByPassword: {
    summary: "Sign in anew by the password; this session goes on under a new cookie",
    body: passwordProofBody,
    status: 200,
    answer: signInWire,
  },
  proveByWallet: {
    summary: "Sign in anew by the account's wallet; this session goes on under a new cookie",
    body: walletProofBody,
    status: 200,
    answer: signInWire,
  },
  proveByGoogle: {
    summary: "Begin a new sign-in with the account's Google account; the issuer redirects the browser back to Settings",
    body: googleProofBody,
    status: 200,
    answer: issuerPage,
  },
  askWalletChallenge: {
    summary: "Challenge that a wallet signs to be linked to the account or to sign in anew",
    body: walletChallengeRequest,
    status: 200,
    answer: z.object({ challenge: walletChallenge }),
  },
  linkWallet: {
    summary: "Let a wallet sign in to the account; needs a sign-in of the last five minutes",
    body: walletProofBody,
    status: 200,
    answer: signInWire,
  },
  unlinkWallet: {
    summary:
      "Remove the wallet, unless nothing else signs in; ends other sessions; needs a sign-in of the last five minutes",
    status: 200,
    answer: signInWire,
  },
  linkGoogle: {
    summary: "Begin to let a Google account sign in to the account; needs a sign-in of the last five minutes",
    status: 200,
    answer: issuerPage,
  },
  unlinkGoogle: {
    summary:
      "Remove the Google account, unless nothing else signs in; ends other sessions; needs a sign-in of the last five minutes",
    status: 200,
    answer: signInWire,
  },
  askEmailChange: {
    summary: "Have a link sent to a new sign-in e-mail; nothing changes before it is used",
    body: emailChangeRequest,
    status: 202,
    answer: message,
  },
  readEmailChange: {
    summary: "The new e-mail that a change link would set, while the link is valid; changes nothing",
    body: emailChangeLink,
    status: 200,
    answer: z.object({ email: z.string() }),
  },
  changeEmail: {
    summary: "Change the account's e-mail to the confirmed address the link was sent to; other sessions and links end",
    body: emailChangeLink,
    status: 200,
    answer: signInWire,
  },
} as const satisfies Record<string, EndpointShapes>;
