/** Links in our messages to an account's own e-mail, each good for one use. */

/** `reset`: sets a new password. `email`: confirms the address. */
export type AccountLinkKind = "reset" | "email";

export const accountLinkMs: Record<AccountLinkKind, number> = { reset: 30 * 60_000, email: 24 * 3_600_000 };

export interface AccountLink {
  kind: AccountLinkKind;
  tokenHash: Buffer;
  userId: string;
  /** Where it was sent: a link means nothing once the account has another e-mail. */
  email: string;
  expiresAt: Date;
}

export interface AccountLinkStore {
  /** Older links of the same kind and account are over from here on. @returns false when the account is gone */
  issue(link: AccountLink): Promise<boolean>;
  /** Uses nothing up. @returns `null` for a link that is unknown, used, replaced, or whose time is over */
  find(kind: AccountLinkKind, tokenHash: Buffer): Promise<Pick<AccountLink, "userId" | "email"> | null>;
  /** The message that was to carry it could not be queued. */
  takeBack(tokenHash: Buffer): Promise<void>;
  /**
   * Uses a reset link up: new password, address confirmed, every session ended. Where the address had never been confirmed, what an
   * impostor could have kept goes too: SMTP credentials, and sign-ins by Google or wallet.
   * @returns whether it counted
   */
  resetPassword(tokenHash: Buffer, passwordHash: string): Promise<boolean>;
  /** Uses a confirmation link up, for the account it was made for only. @returns whether it counted */
  confirmEmail(tokenHash: Buffer, userId: string): Promise<boolean>;
}
