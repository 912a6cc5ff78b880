import * as z from "zod";
import { isMailbox } from "../destinations.ts";
import { isKeyId } from "../key-id.ts";
import { limits } from "../limits.ts";
import { registrationMessages } from "./registration.ts";

export const authMessages = {
  emailInvalid: "Valid email address is required",
  passwordShort: "Password must be at least 8 characters",
  passwordLong: "Password must be 128 characters or less",
  passwordRequired: "Password is required",
  loginFailed: "Invalid email or password",
} as const;

/** E-mail of an account in NFC: a look-alike such as the Kelvin sign could stand for another person's address. */
export const accountEmail = z
  .string(authMessages.emailInvalid)
  .max(1024, authMessages.emailInvalid)
  .trim()
  .normalize("NFC")
  .refine((text) => isMailbox(text), authMessages.emailInvalid);

export const newPassword = z
  .string(authMessages.passwordRequired)
  .min(limits.passwordMin, authMessages.passwordShort)
  .max(limits.passwordMax, authMessages.passwordLong);

/** Token of an invite. One of another form gets the response of one that is not valid. */
export const inviteText = z.string(registrationMessages.inviteText);

export const registerBody = z.object({ email: accountEmail, password: newPassword, invite: inviteText.optional() });
export type RegisterBody = z.infer<typeof registerBody>;

export const loginBody = z.object({
  email: accountEmail,
  password: z
    .string(authMessages.passwordRequired)
    .min(1, authMessages.passwordRequired)
    .max(limits.passwordMax, authMessages.loginFailed),
});
export type LoginBody = z.infer<typeof loginBody>;

export const accountMessages = {
  sealTo: "sealTo must be off, or the id of one of your encryption keys",
  atLeastOne: "At least one setting must be provided",
} as const;

export const accountSettings = z.object({
  leakGuard: z.boolean("leakGuard must be true or false"),
  /** Whether the alias replaces the real address above quoted text ("On …, anna@… wrote:"). */
  aliasInQuotes: z.boolean("aliasInQuotes must be true or false"),
  /** Whether people that the account writes to are remembered. */
  remembersContacts: z.boolean("remembersContacts must be true or false"),
  /** Whether the dashboard no longer shows a new account's first steps. */
  hidesFirstSteps: z.boolean("hidesFirstSteps must be true or false"),
  /** `off`, or the id of the key for forwarded mail, unless the alias has a setting of its own. */
  sealTo: z
    .string(accountMessages.sealTo)
    .toLowerCase()
    .refine((text) => text === "off" || isKeyId(text), accountMessages.sealTo),
});
export type AccountSettings = z.infer<typeof accountSettings>;

export const accountSettingsChange = accountSettings
  .partial()
  .refine((body) => Object.values(body).some((value) => value !== undefined), accountMessages.atLeastOne);
export type AccountSettingsChange = z.infer<typeof accountSettingsChange>;

export const authMethods = ["wallet", "email", "google"] as const;
export type AuthMethod = (typeof authMethods)[number];

export const userWire = z.object({
  id: z.uuid(),
  email: z.string().nullable(),
  walletAddress: z.string().nullable(),
  authMethod: z.enum(authMethods),
  firstName: z.string().nullable(),
  lastName: z.string().nullable(),
  profileImageUrl: z.string().nullable(),
  balance: z.string(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  /** Only of an admin of this server. */
  isAdmin: z.literal(true).optional(),
  /** As in the account's settings, so that the dashboard knows without another request. */
  hidesFirstSteps: z.literal(true).optional(),
});
export type UserWire = z.infer<typeof userWire>;
