/** Confirming a mailbox: what its reader may say behind the link we sent, and what its owner sees meanwhile. */
import * as z from "zod";

/**
 * Of an account and a mailbox. `new`: nothing was forwarded yet; `asked`: our message is on its way or unanswered; `refused`:
 * its reader said it isn't theirs; `blocked`: its reader wants no mail from this server at all.
 */
export const confirmationState = z.enum(["new", "asked", "confirmed", "refused", "blocked"]);
export type ConfirmationState = z.infer<typeof confirmationState>;

/** Lower-case base32 of 20 bytes, as it stands in the link. */
const linkToken = z.string().regex(/^[a-z2-7]{32}$/);

export const confirmationLink = z.object({ token: linkToken });
export const confirmationChoice = z.enum(["mine", "not_mine", "block"]);
export type ConfirmationChoice = z.infer<typeof confirmationChoice>;
export const confirmationAnswer = z.object({ token: linkToken, choice: confirmationChoice });
/** The destination as the alias names it. */
export const confirmationWish = z.object({ address: z.string().min(3).max(320) });
export const confirmationStanding = z.object({ state: confirmationState });
