import * as z from "zod";
import { limits } from "../limits.ts";
import { accountEmail, authMessages, newPassword } from "./auth.ts";

export const signInMessages = {
  currentPasswordRequired: "Current password is required",
  currentPasswordWrong: "This is not your current password",
  resetSent: "If an account with this e-mail exists, a message is on its way.",
  byLink:
    "Too many sign-in attempts were made for this account, from many networks. We can e-mail you a link that signs you in.",
} as const;

const linkToken = z.string().regex(/^[a-z2-7]{32}$/);

export const passwordResetRequest = z.object({ email: accountEmail });
export const passwordResetLink = z.object({ token: linkToken });
export const passwordResetBody = z.object({ token: linkToken, password: newPassword });

export const signInLinkBody = z.object({
  token: linkToken,
  /** Password, required in another browser than the one that asked, and while the account's e-mail is unconfirmed. */
  password: z
    .string()
    .min(1, authMessages.passwordRequired)
    .max(limits.passwordMax, authMessages.loginFailed)
    .optional(),
});
export type SignInLinkBody = z.infer<typeof signInLinkBody>;

export const changePasswordBody = z.object({
  currentPassword: z
    .string(signInMessages.currentPasswordRequired)
    .min(1, signInMessages.currentPasswordRequired)
    .max(limits.passwordMax, signInMessages.currentPasswordWrong),
  newPassword,
});
export type ChangePasswordBody = z.infer<typeof changePasswordBody>;

export const emailConfirmationLink = z.object({ token: linkToken });

export const signInWire = z.object({
  email: z.string().nullable(),
  emailConfirmedAt: z.iso.datetime().nullable(),
  hasPassword: z.boolean(),
  hasGoogle: z.boolean(),
  hasWallet: z.boolean(),
  /** Seconds in which this session may still change the ways to sign in; 0 if a new sign-in is needed. */
  freshForSeconds: z.number(),
});
export type SignInWire = z.infer<typeof signInWire>;

export const loginSessionWire = z.object({
  id: z.uuid(),
  /** Browser and system of the session, e.g. `Firefox on Linux`; `null` if unknown. */
  device: z.string().nullable(),
  createdAt: z.iso.datetime(),
  lastSeenAt: z.iso.datetime(),
  current: z.boolean(),
});
export type LoginSessionWire = z.infer<typeof loginSessionWire>;
