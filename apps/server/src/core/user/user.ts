import type { AccountSettings, AccountSettingsChange, AuthMethod } from "@kauke/contract";

export interface User {
  id: string;
  email: string | null;
  walletAddress: string | null;
  googleId: string | null;
  /** When this account showed that the e-mail is its own; `null` until then, and without an e-mail. */
  emailConfirmedAt: Date | null;
  /** PHC string, argon2id. */
  passwordHash: string | null;
  authMethod: AuthMethod;
  firstName: string | null;
  lastName: string | null;
  profileImageUrl: string | null;
  /** Hundredths; the wire shows `12.50`. */
  balanceCents: number;
  createdAt: Date;
  updatedAt: Date;
}

export interface AccountStats {
  aliases: number;
  activeAliases: number;
  smtpCredentials: number;
  encryptionKeys: number;
  emailJobs: number;
}

export interface UserStore {
  /** @throws AppError `email_taken` (compared without case) */
  insert(user: User): Promise<void>;
  find(id: string): Promise<User | null>;
  findByEmail(email: string): Promise<User | null>;
  /** Read fresh. @returns `null` when the account is gone */
  settings(id: string): Promise<AccountSettings | null>;
  /**
   * What is left out stays. A key to seal to works on the mail path at once.
   * @returns all of them after the change, `null` when the account is gone
   * @throws AppError `invalid` for a key that is not the account's
   */
  changeSettings(id: string, change: AccountSettingsChange): Promise<AccountSettings | null>;
  setPasswordHash(id: string, passwordHash: string): Promise<void>;
  /** Removes the account and every row it owns at once, queued mail too; keeps released addresses as keyed hashes. */
  delete(id: string): Promise<void>;
  stats(id: string): Promise<AccountStats>;
  count(): Promise<number>;
}
