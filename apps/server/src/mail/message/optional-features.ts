/** What optional packages do with a message, and what happens without them. app.ts chooses. */
import type { Mailbox, MailboxOwner, PartPlace } from "@kauke/mail-rfc";
import type { RewriteSource, Rewritten } from "./rewrite.ts";

export interface NewBody {
  /** Dot-stuffed, without the blank line in front; most chunks are views of the received message. */
  wire: readonly Buffer[];
  /** As DKIM signs it (simple canonicalization). */
  hash: Buffer;
  /** Bytes besides the received message. */
  newBytes: number;
}

export interface ForwardedInvitations {
  header: Buffer;
  /** Call it once, just before the copy is sent. */
  makeBody(): NewBody;
}

export interface OwnerMessage {
  header: Buffer;
  /** Without dot-stuffing. */
  body: Buffer;
}

export interface InvitationOwner extends MailboxOwner {
  /** @returns people by reply address in lower case; other addresses are left out */
  findCorrespondents(addresses: readonly string[]): Promise<ReadonlyMap<string, Mailbox>>;
}

/** Rewriting of calendars (`@kauke/invitations`). */
export interface Invitations {
  /**
   * Gives reply addresses to everybody in a forwarded message's calendars.
   * @returns `null` when the body is unchanged
   */
  forward(source: RewriteSource, rewritten: Rewritten): ForwardedInvitations | null;
  /** Replaces the owner's mailbox by the alias in calendars and read receipts. */
  send(message: OwnerMessage, owner: InvitationOwner): Promise<OwnerMessage>;
}

/** An answer to an invitation then goes to the organizer from the mailbox. */
export const noInvitations: Invitations = { forward: () => null, send: async (message) => message };

/** Replaces the owner's mailbox by the alias in lines that mail programs write around quotes (`@kauke/quotes`). */
export type ReplaceInQuotes = (message: OwnerMessage, owner: MailboxOwner) => { body: Buffer; places: PartPlace[] };

/** The leak guard then refuses quoted lines that name the mailbox. */
export const quotesAsWritten: ReplaceInQuotes = ({ body }) => ({ body, places: [] });
