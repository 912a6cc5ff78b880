import * as z from "zod";

/**
 * State of a mailbox for one account. `new`: nothing was forwarded yet; `asked`: no reply yet; `refused`: not its
 * reader's; `blocked`: its reader wants no mail from this server.
 */
export const confirmationState = z.enum(["new", "asked", "confirmed", "refused", "blocked"]);
export type ConfirmationState = z.infer<typeof confirmationState>;

const linkToken = z.string().regex(/^[a-z2-7]{32}$/);

export const confirmationLink = z.object({ token: linkToken });
export const confirmationChoice = z.enum(["mine", "not_mine", "block"]);
export type ConfirmationChoice = z.infer<typeof confirmationChoice>;
export const confirmationDecision = z.object({ token: linkToken, choice: confirmationChoice });
export const confirmationRequest = z.object({ address: z.string().min(3).max(320) });
export const confirmationStanding = z.object({ state: confirmationState });
/**
 * `mailbox`: the address that the link was sent to, while its reader may still say yes. `signIn`: whether the account's
 * e-mail is confirmed, for a mailbox that is this very address.
 */
export const confirmationLinkStanding = confirmationStanding.extend({
  mailbox: z.string().optional(),
  signIn: z.enum(["open", "confirmed"]).optional(),
});
export type ConfirmationLinkStanding = z.infer<typeof confirmationLinkStanding>;
