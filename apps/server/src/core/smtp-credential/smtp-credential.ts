/** What lets a mail program send as an alias. The password is apart: it travels only where somebody asked for it. */
export interface SmtpCredential {
  id: string;
  userId: string;
  aliasId: string;
  /** The whole alias address as its owner typed it; follows a rename. */
  username: string;
  active: boolean;
  createdAt: Date;
}

export interface NewSmtpCredential {
  id: string;
  userId: string;
  aliasId: string;
  password: string;
  createdAt: Date;
}

/** Names one credential of one person's alias; any part that does not fit the others reads as absent. */
export interface SmtpCredentialKey {
  userId: string;
  aliasId: string;
  credentialId: string;
}

/** What signing in needs of a credential, from one look-up. */
export interface SmtpLogin {
  credentialId: string;
  aliasId: string;
  userId: string;
  /** Lower case. */
  aliasAddress: string;
  password: string;
  isPaused: boolean;
  /** Another one after every change of password or user name. Says nothing about either. */
  stamp: string;
}

/** Nothing here is cached: what a call changed is true for the next look-up of any process. */
export interface SmtpCredentialStore {
  /** @returns `null` when the alias is not this user's */
  listForAlias(userId: string, aliasId: string): Promise<SmtpCredential[] | null>;
  /** @returns `null` when the alias is not this user's or has none */
  readPassword(userId: string, aliasId: string): Promise<string | null>;
  /** @returns `null` when the alias is not this user's. @throws AppError `smtp_credential_exists` */
  insert(credential: NewSmtpCredential): Promise<SmtpCredential | null>;
  replacePassword(key: SmtpCredentialKey, password: string): Promise<SmtpCredential | null>;
  delete(key: SmtpCredentialKey): Promise<boolean>;
  /** Active credentials only; a name nobody has costs as much. @param username compared without case */
  findLogin(username: string): Promise<SmtpLogin | null>;
  /** @returns `null` when the credential is gone or was made inactive */
  findStanding(credentialId: string): Promise<Pick<SmtpLogin, "stamp" | "isPaused"> | null>;
}
