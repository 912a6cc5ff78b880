/**
 * Single-use links mailed to the e-mail of an account: `reset` sets a new password, `sign-in` signs in, `email`
 * confirms the address, and `new-email` changes the account's address to the one the link was sent to.
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
  /** E-mail that the link was sent to; the link stops working when the account changes it. */
  email: string;
  /** For `new-email`: the account's address when the link was requested. A change of it invalidates the link. */
  formerEmail?: string | null;
  askedBy?: string;
  expiresAt: Date;
}

export type FoundLink = Pick<AccountLink, "userId" | "email" | "askedBy">;

export interface EmailChange {
  tokenHash: Buffer;
  userId: string;
  keepSession: Buffer | null;
}

export type EmailChanged =
  | { kind: "changed"; former: { email: string | null; isConfirmed: boolean } }
  /** Another account has this e-mail address; the link stays valid. */
  | { kind: "taken" }
  /** The link is unknown, used, replaced or expired, or belongs to another account or a former e-mail. */
  | { kind: "over" };

export interface AccountLinkStore {
  /** Invalidates older links of the same kind and account. @returns false when the account no longer exists */
  issue(link: AccountLink): Promise<boolean>;
  /** Finds a link without using it; `null` when it is unknown, used, replaced or expired. */
  find(kind: AccountLinkKind, tokenHash: Buffer): Promise<FoundLink | null>;
  takeBack(tokenHash: Buffer): Promise<void>;
  /**
   * Sets the password, confirms the address and ends every session. If the address had never been confirmed, also
   * removes whatever an impostor could have left in the account (docs/decisions/2026-11-22-first-proof.md).
   * @returns false when the link is not valid
   */
  resetPassword(tokenHash: Buffer, passwordHash: string): Promise<boolean>;
  /**
   * Confirms the address. If it had never been confirmed and no password was given, removes the same as `resetPassword`
   * does, and the password too.
   * @param passwordHash stored hash that the password given with the link matched; `null` if none was given
   * @returns false when the link is not valid, or the account's password has changed since
   */
  signIn(tokenHash: Buffer, passwordHash: string | null): Promise<boolean>;
  /** Confirms the e-mail of the link's own account. @returns false when the link is not valid */
  confirmEmail(tokenHash: Buffer, userId: string): Promise<boolean>;
  /** Confirms the account's e-mail if it equals this address, ignoring letter case but not a tag. */
  confirmSameEmail(userId: string, address: string): Promise<void>;
  /** Sets a confirmed address; ends other sessions and all links sent to the former one, but keeps destinations. */
  changeEmail(change: EmailChange): Promise<EmailChanged>;
}
