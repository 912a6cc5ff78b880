/** Single-use links that we mail to the e-mail address of an account. */

/**
 * `reset` sets a new password, `sign-in` signs in, `email` confirms the account's address, and `new-email` changes the
 * account's address to the one the link was sent to.
 */
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
  /**
   * For a `new-email` link: the account's e-mail address when the link was requested, `null` if it had none. The link
   * becomes invalid when that address changes.
   */
  formerEmail?: string | null;
  /** For a sign-in link: identifies the browser that requested the link, see `sign-in-link.ts`. */
  askedBy?: string;
  expiresAt: Date;
}

export type FoundLink = Pick<AccountLink, "userId" | "email" | "askedBy">;

export interface EmailChange {
  tokenHash: Buffer;
  /** Account that the request is signed in to; a link for another account is refused. */
  userId: string;
  /** Token hash of the session to keep; every other session of the account ends. */
  keepSession: Buffer | null;
}

export type EmailChanged =
  | { kind: "changed"; former: { email: string | null; isConfirmed: boolean } }
  /** Another account has this e-mail address; the link stays valid. */
  | { kind: "taken" }
  /**
   * The link is unknown, used, replaced or expired, it belongs to another account, or the account has changed its
   * e-mail address.
   */
  | { kind: "over" };

export interface AccountLinkStore {
  /**
   * Stores a link and invalidates older links of the same kind and account.
   * @returns false when the account no longer exists
   */
  issue(link: AccountLink): Promise<boolean>;
  /** Looks a link up without using it. @returns `null` for a link that is unknown, used, replaced or expired */
  find(kind: AccountLinkKind, tokenHash: Buffer): Promise<FoundLink | null>;
  /** Deletes a link whose message could not be queued. */
  takeBack(tokenHash: Buffer): Promise<void>;
  /**
   * Uses a reset link: sets the password, confirms the address and ends every session. If the address had never been
   * confirmed, also removes whatever an impostor could have left in the account
   * (docs/decisions/2026-11-22-first-proof.md).
   * @returns false when the link is not valid
   */
  resetPassword(tokenHash: Buffer, passwordHash: string): Promise<boolean>;
  /**
   * Uses a sign-in link and confirms the address. If the address had never been confirmed and no password was given,
   * removes the same as `resetPassword` does, and the password too.
   * @param passwordHash stored hash that the password given with the link matched; `null` if no password was given
   * @returns false when the link is not valid, or the account's password has changed since
   */
  signIn(tokenHash: Buffer, passwordHash: string | null): Promise<boolean>;
  /** Uses a confirmation link; it is valid for its own account only. @returns false when the link is not valid */
  confirmEmail(tokenHash: Buffer, userId: string): Promise<boolean>;
  /**
   * Confirms the account's e-mail if it is this very address, which the caller knows to be the account owner's. Letter
   * case is ignored, a tag is not.
   */
  confirmSameEmail(userId: string, address: string): Promise<void>;
  /**
   * Uses a `new-email` link: sets the account's e-mail address, as confirmed. Ends every other session and every link
   * that was sent to the former address. Mailboxes that were confirmed as destinations stay confirmed.
   */
  changeEmail(change: EmailChange): Promise<EmailChanged>;
}
