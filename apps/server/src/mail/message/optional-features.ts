/** What optional packages do with a message, and what happens without them. app.ts chooses. */
import type { Mailbox, MailboxOwner, PartPlace } from "@kauke/mail-rfc";
import type { RewriteSource, Rewritten } from "./rewrite.ts";

/** A body that replaces the received one. */
export interface NewBody {
  /** Dot-stuffed chunks, the first without the blank line in front; most of them are views of the received message. */
  wire: readonly Buffer[];
  /** Body hash as DKIM signs it (simple canonicalization). */
  hash: Buffer;
  /** Bytes held in memory besides the received message. */
  newBytes: number;
}

export interface ForwardedInvitations {
  /** The whole header block without the blank line. */
  header: Buffer;
  /** Builds the rewritten body. Call it once, just before the copy is sent. */
  makeBody(): NewBody;
}

export interface OwnerMessage {
  /** The new header block without the blank line. */
  header: Buffer;
  /** Body without dot-stuffing. */
  body: Buffer;
}

export interface InvitationOwner extends MailboxOwner {
  /** @returns the people behind reply addresses, by lower-case address; other addresses are left out */
  findCorrespondents(addresses: readonly string[]): Promise<ReadonlyMap<string, Mailbox>>;
}

/** Rewriting of calendars (`@kauke/invitations`). */
export interface Invitations {
  /**
   * Gives reply addresses to everybody in the calendars of a forwarded message.
   * @returns `null` when the body is forwarded unchanged
   */
  forward(source: RewriteSource, rewritten: Rewritten): ForwardedInvitations | null;
  /** Replaces the owner's mailbox by the alias in calendars and read receipts of a message that the owner sends. */
  send(message: OwnerMessage, owner: InvitationOwner): Promise<OwnerMessage>;
}

/** Leaves every calendar as it is: an answer to an invitation then goes to the organizer from the mailbox. */
export const noInvitations: Invitations = { forward: () => null, send: async (message) => message };

/** Replaces the owner's mailbox by the alias in lines that mail programs write around quotes (`@kauke/quotes`). */
export type ReplaceInQuotes = (message: OwnerMessage, owner: MailboxOwner) => { body: Buffer; places: PartPlace[] };

/** Leaves quoted lines as they are; the leak guard refuses those that name the mailbox. */
export const quotesAsWritten: ReplaceInQuotes = ({ body }) => ({ body, places: [] });
