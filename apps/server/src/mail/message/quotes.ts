import type { MailboxOwner, PartPlace } from "@kauke/mail-rfc";
import type { OwnerMessage } from "./invitations.ts";

/** Replaces the owner's mailbox by the alias in lines that mail programs write around quotes (`@kauke/quotes`). */
export type ReplaceInQuotes = (message: OwnerMessage, owner: MailboxOwner) => { body: Buffer; places: PartPlace[] };

/** Leaves quoted lines as they are; the leak guard refuses those that name the mailbox. */
export const quotesAsWritten: ReplaceInQuotes = ({ body }) => ({ body, places: [] });
