/** Single-use mailed links: `email` confirms the address, `new-email` changes it to the one the link was sent to. */
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
  /** Recipient of the link, which stops working when the account changes its e-mail. */
  email: string;
  /** For `new-email`: the account's address at the request; a change of it invalidates the link. */
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
  /** Another account has the e-mail; the link stays valid. */
  | { kind: "taken" }
  /** The link is unknown, used, replaced or expired, or of another account or former e-mail. */
  | { kind: "over" };

export interface AccountLinkStore {
  /** Invalidates older links of the kind and account. @returns false when the account no longer exists */
  issue(link: AccountLink): Promise<boolean>;
  /** Does not use the link; `null` when it is unknown, used, replaced or expired. */
  find(kind: AccountLinkKind, tokenHash: Buffer): Promise<FoundLink | null>;
  takeBack(tokenHash: Buffer): Promise<void>;
  /** Ends every session; a first proof also removes an impostor's traces (docs/decisions/2026-11-22-first-proof.md). */
  resetPassword(tokenHash: Buffer, passwordHash: string): Promise<boolean>;
  /**
   * @param passwordHash that a given password matched; `null`: none given, and a first proof removes the password
   * @returns false when the link is not valid, or the password has changed since
   */
  signIn(tokenHash: Buffer, passwordHash: string | null): Promise<boolean>;
  confirmEmail(tokenHash: Buffer, userId: string): Promise<boolean>;
  /** Confirms the account's e-mail if it equals this address; letter case is ignored, a tag is not. */
  confirmSameEmail(userId: string, address: string): Promise<void>;
  /** Sets a confirmed address; ends other sessions and links sent to the former one; destinations stay. */
  changeEmail(change: EmailChange): Promise<EmailChanged>;
}
