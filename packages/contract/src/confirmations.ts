/** Confirming a mailbox: the answers its reader can give through the link we sent, and the state its owner sees. */
import * as z from "zod";

/**
 * State of a mailbox for one account. `new`: nothing was forwarded yet; `asked`: the confirmation message was sent or
 * is being sent, and has no answer yet; `refused`: its reader said that it isn't theirs; `blocked`: its reader wants no
 * mail from this server at all.
 */
export const confirmationState = z.enum(["new", "asked", "confirmed", "refused", "blocked"]);
export type ConfirmationState = z.infer<typeof confirmationState>;

/** Token of a confirmation link: lower-case base32 of 20 bytes. */
const linkToken = z.string().regex(/^[a-z2-7]{32}$/);

export const confirmationLink = z.object({ token: linkToken });
export const confirmationChoice = z.enum(["mine", "not_mine", "block"]);
export type ConfirmationChoice = z.infer<typeof confirmationChoice>;
export const confirmationAnswer = z.object({ token: linkToken, choice: confirmationChoice });
/** Body that names a mailbox, as the alias spells it: to send it a confirmation message, or to resume it. */
export const confirmationRequest = z.object({ address: z.string().min(3).max(320) });
export const confirmationStanding = z.object({ state: confirmationState });
/**
 * What the page of a confirmation link shows. `signIn`: whether the e-mail that the account signs in with is confirmed;
 * present only for a confirmed mailbox that is this very address.
 */
export const confirmationLinkStanding = confirmationStanding.extend({
  signIn: z.enum(["open", "confirmed"]).optional(),
});
export type ConfirmationLinkStanding = z.infer<typeof confirmationLinkStanding>;
