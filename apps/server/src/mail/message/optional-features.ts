import type { Mailbox, MailboxOwner, PartPlace } from "@kauke/mail-rfc";
import type { RewriteSource, Rewritten } from "./rewrite.ts";

export interface NewBody {
  /** Dot-stuffed, without the blank line in front; most chunks are views of the received message. */
  wire: readonly Buffer[];
  hash: Buffer;
  newBytes: number;
}

export interface ForwardedInvitations {
  header: Buffer;
  /** Call once, just before the copy is sent. */
  makeBody(): NewBody;
}

export interface OwnerMessage {
  header: Buffer;
  body: Buffer;
}

export interface InvitationOwner extends MailboxOwner {
  /** @returns people by reply address in lower case; other addresses are left out */
  findCorrespondents(addresses: readonly string[]): Promise<ReadonlyMap<string, Mailbox>>;
}

export interface Invitations {
  /** Gives people in a forwarded message's calendars reply addresses. @returns `null` for an unchanged body */
  forward(source: RewriteSource, rewritten: Rewritten): ForwardedInvitations | null;
  send(message: OwnerMessage, owner: InvitationOwner): Promise<OwnerMessage>;
}

/** Without the package, a reply to an invitation goes to the organizer from the owner's mailbox. */
export const noInvitations: Invitations = { forward: () => null, send: async (message) => message };

export type ReplaceInQuotes = (message: OwnerMessage, owner: MailboxOwner) => { body: Buffer; places: PartPlace[] };

/** Without the package, the leak guard refuses quoted lines that name the mailbox. */
export const quotesAsWritten: ReplaceInQuotes = ({ body }) => ({ body, places: [] });
