/** Changing how an account is signed in to needs a recent sign-in. */
import * as z from "zod";
import { limits } from "../limits.ts";
import { accountEmail, authMessages } from "./auth.ts";
import { walletBody } from "./wallet.ts";

export const FRESH_PROOF_SECONDS = 5 * 60;

export const waysInMessages = {
  passwordWrong: "This is not your password",
  emailIsYours: "You sign in with this e-mail already",
  emailTaken: "Another account signs in with this e-mail. Choose a different one, or delete that account first.",
  emailLinkOver: "This link is used, replaced by a newer one, over, or made for another account.",
  noPassword: "This account has no password.",
  noWallet: "No wallet signs in to this account.",
  noGoogle: "No Google account signs in to this account.",
  hasWallet: "A wallet signs in to this account already. Remove it first.",
  hasGoogle: "A Google account signs in to this account already. Remove it first.",
  walletTaken: "This wallet signs in to another account, so it can't be linked to this one.",
} as const;

export const waysInActions = ["change-email", "link-google", "unlink-google", "link-wallet", "unlink-wallet"] as const;
export type WaysInAction = (typeof waysInActions)[number];

/** Purposes of a wallet signature, each with its own text: a signature for one is not accepted for another. */
export const walletPurposes = ["prove", "link"] as const;
export type WalletPurpose = (typeof walletPurposes)[number];

export const walletChallengeRequest = z.object({
  walletAddress: walletBody.shape.walletAddress,
  purpose: z.enum(walletPurposes),
});

const proofPart = z.string("This must be a text").min(1).max(1024);
export const walletProofBody = z.object({
  walletAddress: walletBody.shape.walletAddress,
  nonce: proofPart,
  signedMessage: proofPart,
  signature: proofPart,
});
export type WalletProofBody = z.infer<typeof walletProofBody>;

export const passwordProofBody = z.object({
  password: z
    .string(authMessages.passwordRequired)
    .min(1, authMessages.passwordRequired)
    .max(limits.passwordMax, waysInMessages.passwordWrong),
});

export const googleProofBody = z.object({ action: z.enum(waysInActions) });

export const emailChangeRequest = z.object({ email: accountEmail });
export const emailChangeLink = z.object({ token: z.string().regex(/^[a-z2-7]{32}$/) });

export const googleLinkedHash = "#google-linked";

/** Hash of Settings' URL after a new sign-in with Google, by which the change named in it continues. */
export const provenHash = (action: WaysInAction): string => `#signed-in-for-${action}`;
