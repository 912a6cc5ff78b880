/** The calls that change what signs in to an account; part of the route table in `endpoints.ts`. */
import * as z from "zod";
import type { Endpoint } from "../endpoint.ts";
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
    method: "POST",
    path: "/api/account/proof/password",
    summary: "Sign in anew by the password; this session goes on under a new cookie",
    access: "user",
    body: passwordProofBody,
    status: 200,
    answer: signInWire,
  },
  proveByWallet: {
    method: "POST",
    path: "/api/account/proof/wallet",
    summary: "Sign in anew by the account's wallet; this session goes on under a new cookie",
    access: "user",
    body: walletProofBody,
    status: 200,
    answer: signInWire,
  },
  proveByGoogle: {
    method: "POST",
    path: "/api/account/proof/google",
    summary: "Begin to sign in anew at the account's issuer; the issuer leads the browser back to Settings",
    access: "user",
    body: googleProofBody,
    status: 200,
    answer: issuerPage,
  },
  askWalletChallenge: {
    method: "POST",
    path: "/api/account/wallet/challenge",
    summary: "What a wallet has to sign, to be linked or to sign in anew",
    access: "user",
    body: walletChallengeWish,
    status: 200,
    answer: z.object({ challenge: walletChallenge }),
  },
  linkWallet: {
    method: "POST",
    path: "/api/account/wallet",
    summary: "Let a wallet sign in to the account; needs a sign-in of the last five minutes",
    access: "user",
    body: walletProofBody,
    status: 200,
    answer: signInWire,
  },
  unlinkWallet: {
    method: "DELETE",
    path: "/api/account/wallet",
    summary:
      "Remove the wallet, unless nothing else signs in; other sessions end; needs a sign-in of the last five minutes",
    access: "user",
    status: 200,
    answer: signInWire,
  },
  linkGoogle: {
    method: "POST",
    path: "/api/account/google",
    summary: "Begin to let a Google account sign in to the account; needs a sign-in of the last five minutes",
    access: "user",
    status: 200,
    answer: issuerPage,
  },
  unlinkGoogle: {
    method: "DELETE",
    path: "/api/account/google",
    summary:
      "Remove the Google account, unless nothing else signs in; other sessions end; needs a sign-in of the last five minutes",
    access: "user",
    status: 200,
    answer: signInWire,
  },
  askEmailChange: {
    method: "POST",
    path: "/api/account/email/message",
    summary: "Have a link sent to a new sign-in e-mail; nothing changes before it is used",
    access: "user",
    body: emailChangeWish,
    status: 202,
    answer: message,
  },
  readEmailChange: {
    method: "POST",
    path: "/api/account/email/state",
    summary: "Which e-mail a link would make the account's own, as long as it works; changes nothing",
    access: "user",
    body: emailChangeLink,
    status: 200,
    answer: z.object({ email: z.string() }),
  },
  changeEmail: {
    method: "POST",
    path: "/api/account/email",
    summary: "Make the e-mail that the link was sent to the account's own, confirmed; other sessions and links end",
    access: "user",
    body: emailChangeLink,
    status: 200,
    answer: signInWire,
  },
} as const satisfies Record<string, Endpoint>;
