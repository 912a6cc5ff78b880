import type { AccountSettings, AccountSettingsChange, AuthMethod } from "@kauke/contract";
import type { FederatedPerson } from "../sign-in/federated-issuer.ts";

/** Who somebody is to an issuer, for good. */
export type FederatedName = Pick<FederatedPerson, "issuer" | "subject">;

export interface User {
  id: string;
  email: string | null;
  walletAddress: string | null;
  /** The subject its issuer knows the account by. */
  googleId: string | null;
  /** Who issued `googleId`; a subject means nothing without. */
  googleIssuer?: string;
  /** The owner has removed a Google account: only the owner links one again, in Settings. */
  isGoogleRemoved?: true;
  /** When this account showed that the e-mail is its own; `null` until then, and without an e-mail. */
  emailConfirmedAt: Date | null;
  /** PHC string, argon2id. */
  passwordHash: string | null;
  /** When it was last changed, reset or taken away, if ever. Making its hash anew is none of these. */
  passwordSetAt?: Date;
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

export type RemovableWay = "wallet" | "google";
/** See `ways-in.ts`. */
export type RemovalDecision = "removed" | "missing" | "last";
export type LinkResult = "linked" | "has_one" | "taken" | "gone";

export interface WayRemoval {
  way: RemovableWay;
  issuer: string | null;
  /** By its token's hash. */
  keepSession: Buffer | null;
}

export interface UserStore {
  /** @throws AppError `email_taken` (compared without case) */
  insert(user: User): Promise<void>;
  /** @returns false when its e-mail, wallet or Google id is another account's by now */
  insertIfFree(user: User): Promise<boolean>;
  find(id: string): Promise<User | null>;
  findByWallet(walletAddress: string): Promise<User | null>;
  findByEmail(email: string): Promise<User | null>;
  findByGoogle(name: FederatedName): Promise<User | null>;
  /**
   * From now on this subject leads to the account too.
   * @returns false unless the account still has this e-mail, confirmed, and no Google id, none was removed, and the subject is nobody's
   */
  linkGoogle(id: string, name: FederatedName, email: string): Promise<boolean>;
  /** By the owner's own wish, whatever its address. `has_one`: another subject leads to the account. `taken`: this one to another. */
  attachGoogle(id: string, name: FederatedName): Promise<LinkResult>;
  linkWallet(id: string, walletAddress: string): Promise<LinkResult>;
  /**
   * Removes a way in unless it is the last one, decided under the account's lock; every session but `keepSession` ends.
   * @param removal `issuer`: see `ways-in.ts`
   */
  removeWay(id: string, removal: WayRemoval): Promise<RemovalDecision>;
  /** Read fresh. @returns `null` when the account is gone */
  settings(id: string): Promise<AccountSettings | null>;
  /**
   * What is left out stays. A key to seal to works on the mail path at once.
   * @returns all of them after the change, `null` when the account is gone
   * @throws AppError `invalid` for a key that is not the account's
   */
  changeSettings(id: string, change: AccountSettingsChange): Promise<AccountSettings | null>;
  /** The same password under a stronger hash. @returns false when the hash was another by now; then nothing changed */
  replaceHash(id: string, replacement: { from: string; to: string }): Promise<boolean>;
  /**
   * Ends every session but the one kept (by its token's hash), and all reset links.
   * @returns false when the hash was another by now; then nothing changed
   */
  changePassword(id: string, change: { from: string; to: string; keepSession: Buffer | null }): Promise<boolean>;
  /** Removes the account and every row it owns at once, queued mail too; keeps released addresses as keyed hashes. */
  delete(id: string): Promise<void>;
  stats(id: string): Promise<AccountStats>;
  count(): Promise<number>;
}
