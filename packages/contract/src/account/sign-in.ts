/** How an account is signed in to, and how that is changed: password, confirmed e-mail, signed-in devices. */
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

/** Lower-case base32 of 20 bytes, as it stands behind the `#` of the link. */
const linkToken = z.string().regex(/^[a-z2-7]{32}$/);

export const passwordResetWish = z.object({ email: accountEmail });
export const passwordResetLink = z.object({ token: linkToken });
export const passwordResetBody = z.object({ token: linkToken, password: newPassword });

export const signInLinkBody = z.object({
  token: linkToken,
  /** Needed in another browser than the one that asked for the link, and where the e-mail was never confirmed. */
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

/** What leads into the account. */
export const signInWire = z.object({
  email: z.string().nullable(),
  /** `null`: nobody has shown yet that the address is this account's. */
  emailConfirmedAt: z.iso.datetime().nullable(),
  hasPassword: z.boolean(),
  hasGoogle: z.boolean(),
  hasWallet: z.boolean(),
  /** Seconds for which what signs in can still be changed by this session; 0: it takes a new sign-in first. */
  freshForSeconds: z.number(),
});
export type SignInWire = z.infer<typeof signInWire>;

export const loginSessionWire = z.object({
  id: z.uuid(),
  /** Coarse, e.g. `Firefox on Linux`; `null`: not known. */
  device: z.string().nullable(),
  createdAt: z.iso.datetime(),
  /** To the minute or so. */
  lastSeenAt: z.iso.datetime(),
  /** The one that asks. */
  current: z.boolean(),
});
export type LoginSessionWire = z.infer<typeof loginSessionWire>;
