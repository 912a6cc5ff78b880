/** The calls that change what signs in to an account; part of the route table in `endpoints.ts`. */
import * as z from "zod";
import type { EndpointShapes } from "../endpoint.ts";
import { signInWire } from "./sign-in.ts";
import { walletChallenge } from "./wallet.ts";
import {
  emailChangeLink,
  emailChangeWish,
  googleProofBody,
  passwordProofBody,
  walletChallengeWish,
  walletProofBody,
} from "./ways-in.ts";

const message = z.object({ message: z.string() });
const issuerPage = z.object({ /** Where the browser goes next: the issuer's page. */ url: z.string() });

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
    summary: "Begin to sign in anew at the account's issuer; the issuer leads the browser back to Settings",
    body: googleProofBody,
    status: 200,
    answer: issuerPage,
  },
  askWalletChallenge: {
    summary: "What a wallet has to sign, to be linked or to sign in anew",
    body: walletChallengeWish,
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
      "Remove the wallet, unless nothing else signs in; other sessions end; needs a sign-in of the last five minutes",
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
      "Remove the Google account, unless nothing else signs in; other sessions end; needs a sign-in of the last five minutes",
    status: 200,
    answer: signInWire,
  },
  askEmailChange: {
    summary: "Have a link sent to a new sign-in e-mail; nothing changes before it is used",
    body: emailChangeWish,
    status: 202,
    answer: message,
  },
  readEmailChange: {
    summary: "Which e-mail a link would make the account's own, as long as it works; changes nothing",
    body: emailChangeLink,
    status: 200,
    answer: z.object({ email: z.string() }),
  },
  changeEmail: {
    summary: "Make the e-mail that the link was sent to the account's own, confirmed; other sessions and links end",
    body: emailChangeLink,
    status: 200,
    answer: signInWire,
  },
} as const satisfies Record<string, EndpointShapes>;
