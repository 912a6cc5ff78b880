/** Links that we mail to an account's own e-mail address. Each works once. */

/** `reset`: sets a new password. `sign-in`: signs in. `email`: confirms the address. `new-email`: makes the address the account's. */
export type AccountLinkKind = "reset" | "sign-in" | "email" | "new-email";

const MINUTE_MS = 60_000;

export const accountLinkMs: Record<AccountLinkKind, number> = {
  reset: 30 * MINUTE_MS,
  "sign-in": 30 * MINUTE_MS,
  email: 24 * 60 * MINUTE_MS,
  "new-email": 24 * 60 * MINUTE_MS,
};

export interface AccountLink {
  kind: AccountLinkKind;
  tokenHash: Buffer;
  userId: string;
  /** The e-mail address that the link was sent to. The link stops working when the account changes its e-mail. */
  email: string;
  /** Of a `new-email` link: the account's e-mail when it was asked for, `null` for none. The link ends when that changes. */
  formerEmail?: string | null;
  /** Of a sign-in link: names the browser that asked for it, see `sign-in-link.ts`. */
  askedBy?: string;
  expiresAt: Date;
}

export type FoundLink = Pick<AccountLink, "userId" | "email" | "askedBy">;

export interface EmailChange {
  tokenHash: Buffer;
  /** The link counts for the account it was made for only. */
  userId: string;
  /** This session stays, every other one ends. */
  keepSession: Buffer | null;
}

export type EmailChanged =
  | { kind: "changed"; former: { email: string | null; isConfirmed: boolean } }
  /** Another account has the e-mail; the link still works. */
  | { kind: "taken" }
  | { kind: "over" };

export interface AccountLinkStore {
  /** Older links of the same kind and account are over from here on. @returns false when the account is gone */
  issue(link: AccountLink): Promise<boolean>;
  /** Uses nothing up. @returns `null` for a link that is unknown, used, replaced, or whose time is over */
  find(kind: AccountLinkKind, tokenHash: Buffer): Promise<FoundLink | null>;
  /** The message that was to carry it could not be queued. */
  takeBack(tokenHash: Buffer): Promise<void>;
  /**
   * Uses a reset link up: new password, address confirmed, every session ended. Where the address had never been confirmed,
   * whatever an impostor could have kept goes too (docs/decisions/2026-11-22-first-proof.md).
   * @returns whether it counted
   */
  resetPassword(tokenHash: Buffer, passwordHash: string): Promise<boolean>;
  /**
   * Uses a sign-in link up and confirms the address. Where that had never been confirmed and no password was given, the same goes
   * as with `resetPassword`, the password included.
   * @param passwordHash the one a right password was given for beside the link; `null`: none was given
   * @returns whether it counted; not when the account has another password by now
   */
  signIn(tokenHash: Buffer, passwordHash: string | null): Promise<boolean>;
  /** Uses a confirmation link up, for the account it was made for only. @returns whether it counted */
  confirmEmail(tokenHash: Buffer, userId: string): Promise<boolean>;
  /**
   * Uses a link to a new e-mail up: it is the account's own from here on, confirmed. Every other session and every link that was
   * sent to the former one ends. Mailboxes that counted as confirmed before still do.
   */
  changeEmail(change: EmailChange): Promise<EmailChanged>;
}
