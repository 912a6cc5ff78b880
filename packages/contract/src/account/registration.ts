/** Who may register. No zod in this file: the web app reads it on pages that load no schemas. */

/** `invite`: whoever has an invite, a single-use link that the operator makes with `kauke users invite`. */
export const registrationModes = ["open", "invite", "closed"] as const;
export type RegistrationMode = (typeof registrationModes)[number];

/** Name of the meta element in which a page finds the server's mode. */
export const registrationMeta = "registration";

/** Token of an invite: 20 random bytes in base32. */
export const invitePattern = /^[a-z2-7]{32}$/;

export const registrationMessages = {
  inviteText: "The invitation must be a text",
  closed: "Registration is closed on this server. If you have an account, please sign in.",
  invite:
    "Accounts are made by invitation here. Yours is missing, was used, has expired, or is for another e-mail address. Please ask whoever runs this server for a new one.",
} as const;
