import * as z from "zod";
import type { EndpointShapes } from "../endpoint.ts";
import { inviteText, userWire } from "./auth.ts";
import {
  changePasswordBody,
  emailConfirmationLink,
  loginSessionWire,
  passwordResetBody,
  passwordResetLink,
  passwordResetRequest,
  signInLinkBody,
  signInWire,
} from "./sign-in.ts";
import { walletBody, walletChallenge } from "./wallet.ts";
import {
  emailChangeLink,
  emailChangeRequest,
  googleProofBody,
  passwordProofBody,
  walletChallengeRequest,
  walletProofBody,
} from "./ways-in.ts";

const message = z.object({ message: z.string() });

export const signInEndpoints = {
  askPasswordReset: {
    summary: "Send a link that sets a new password; the answer is the same whether there is an account or not",
    body: passwordResetRequest,
    status: 202,
    response: message,
  },
  readPasswordReset: {
    summary: "E-mail of the account whose password a reset link sets, while the link is valid; changes nothing",
    body: passwordResetLink,
    status: 200,
    response: z.object({ email: z.string() }),
  },
  resetPassword: {
    summary: "Set a new password by a reset link, once; every session of the account ends",
    body: passwordResetBody,
    status: 200,
    response: message,
  },
  askSignInLink: {
    summary: "Send a link that signs in; the answer is the same whether there is an account or not",
    body: passwordResetRequest,
    status: 202,
    response: message,
  },
  readSignInLink: {
    summary:
      "E-mail of the account a sign-in link is for, and whether this browser needs the password too; changes nothing",
    body: passwordResetLink,
    status: 200,
    response: z.object({ email: z.string(), needsPassword: z.boolean() }),
  },
  signInByLink: {
    summary: "Sign in by a link that was sent, once",
    body: signInLinkBody,
    status: 200,
    response: z.object({ user: userWire }),
  },
  getSignIn: {
    summary: "Ways to sign in to the account, and whether its e-mail is confirmed",
    status: 200,
    response: signInWire,
  },
  changePassword: {
    summary: "Change the password; every other session ends, this one goes on under a new cookie",
    body: changePasswordBody,
    status: 200,
    response: message,
  },
  askEmailConfirmation: {
    summary: "Send a link that confirms the e-mail of the account; at most three times a day",
    status: 200,
    response: message,
  },
  confirmEmail: {
    summary: "Confirm the e-mail of the account by the link that was sent to it, once",
    body: emailConfirmationLink,
    status: 200,
    response: signInWire,
  },
  listSessions: {
    summary: "Where the account is signed in, this session first",
    status: 200,
    response: z.object({ sessions: z.array(loginSessionWire) }),
  },
  endSession: {
    summary: "End a session; ending the session that makes the request signs out",
    params: z.object({ sessionId: z.string() }),
    status: 200,
    response: message,
  },
  endOtherSessions: {
    summary: "End every session but this one",
    status: 200,
    response: z.object({ message: z.string(), ended: z.number() }),
  },
} as const satisfies Record<string, EndpointShapes>;

const issuerPage = z.object({ /** Address of the issuer's page that the browser opens next. */ url: z.string() });

export const waysInEndpoints = {
  proveByPassword: {
    summary: "Sign in anew by the password; this session goes on under a new cookie",
    body: passwordProofBody,
    status: 200,
    response: signInWire,
  },
  proveByWallet: {
    summary: "Sign in anew by the account's wallet; this session goes on under a new cookie",
    body: walletProofBody,
    status: 200,
    response: signInWire,
  },
  proveByGoogle: {
    summary: "Begin a new sign-in with the account's Google account; the issuer redirects the browser back to Settings",
    body: googleProofBody,
    status: 200,
    response: issuerPage,
  },
  askWalletChallenge: {
    summary: "Challenge that a wallet signs to be linked to the account or to sign in anew",
    body: walletChallengeRequest,
    status: 200,
    response: z.object({ challenge: walletChallenge }),
  },
  linkWallet: {
    summary: "Let a wallet sign in to the account; needs a sign-in of the last five minutes",
    body: walletProofBody,
    status: 200,
    response: signInWire,
  },
  unlinkWallet: {
    summary:
      "Remove the wallet, unless nothing else signs in; ends other sessions; needs a sign-in of the last five minutes",
    status: 200,
    response: signInWire,
  },
  linkGoogle: {
    summary: "Begin to let a Google account sign in to the account; needs a sign-in of the last five minutes",
    status: 200,
    response: issuerPage,
  },
  unlinkGoogle: {
    summary:
      "Remove the Google account, unless nothing else signs in; ends other sessions; needs a sign-in of the last five minutes",
    status: 200,
    response: signInWire,
  },
  askEmailChange: {
    summary: "Have a link sent to a new sign-in e-mail; nothing changes before it is used",
    body: emailChangeRequest,
    status: 202,
    response: message,
  },
  readEmailChange: {
    summary: "The new e-mail that a change link would set, while the link is valid; changes nothing",
    body: emailChangeLink,
    status: 200,
    response: z.object({ email: z.string() }),
  },
  changeEmail: {
    summary: "Change the account's e-mail to the confirmed address the link was sent to; other sessions and links end",
    body: emailChangeLink,
    status: 200,
    response: signInWire,
  },
} as const satisfies Record<string, EndpointShapes>;

export const googleEndpoints = {
  signInByGoogle: {
    summary:
      "Begin a Google sign-in with an invitation, which stays out of every URL; without one, open this path in a browser",
    body: z.object({ invite: inviteText }),
    status: 200,
    errors: [429, 503],
    response: issuerPage,
  },
} as const satisfies Record<string, EndpointShapes>;

export const walletEndpoints = {
  walletSignIn: {
    summary:
      "Sign in by a Solana wallet: the address alone gets 401 with a `challenge`, the signed challenge gets the user",
    body: walletBody,
    status: 200,
    errors: [401, 403, 429],
    response: z.object({ user: userWire }),
  },
} as const satisfies Record<string, EndpointShapes>;

/** A row of the account's export with the table's columns. `deletionDate`: an ISO date, or a sentence. */
const exportedRow = z.looseObject({ deletionDate: z.string() });

const accountExportWire = z.object({
  service: z.string(),
  exportedAt: z.iso.datetime(),
  accountId: z.uuid(),
  notes: z.array(z.string()),
  tables: z.record(z.string(), z.object({ about: z.string(), rows: z.array(exportedRow) })),
});

export const accountExportEndpoints = {
  exportAccount: {
    summary: "Everything held about the account, every row with the date of its deletion",
    status: 200,
    savedAs: "kauke-account",
    errors: [429],
    response: accountExportWire,
  },
} as const satisfies Record<string, EndpointShapes>;
