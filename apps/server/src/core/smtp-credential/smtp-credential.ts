/** Credentials with which a mail program sends as an alias. The password is separate: it is read only on request. */
export interface SmtpCredential {
  id: string;
  userId: string;
  aliasId: string;
  /** The full alias address as its owner typed it; changes when the alias is renamed. */
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

/** Identifies a credential; if the three ids do not belong together, the credential counts as absent. */
export interface SmtpCredentialKey {
  userId: string;
  aliasId: string;
  credentialId: string;
}

/** Data needed to check a sign-in, from one look-up. */
export interface SmtpLogin {
  credentialId: string;
  aliasId: string;
  userId: string;
  /** Address of the alias in lower case. */
  aliasAddress: string;
  password: string;
  isPaused: boolean;
  /** Value that changes with every change of password or user name, so that open connections notice it. */
  stamp: string;
}

/** Repository of SMTP credentials, without a cache: every process sees a change at its next look-up. */
export interface SmtpCredentialStore {
  /** Lists the credentials of an alias. @returns `null` when the alias does not belong to this user */
  listForAlias(userId: string, aliasId: string): Promise<SmtpCredential[] | null>;
  /**
   * Reads the password of an alias. @returns `null` when the alias does not belong to this user or has no credentials
   */
  readPassword(userId: string, aliasId: string): Promise<string | null>;
  /**
   * Stores the credentials of an alias.
   * @returns `null` when the alias does not belong to this user @throws AppError `smtp_credential_exists`
   */
  insert(credential: NewSmtpCredential): Promise<SmtpCredential | null>;
  replacePassword(key: SmtpCredentialKey, password: string): Promise<SmtpCredential | null>;
  delete(key: SmtpCredentialKey): Promise<boolean>;
  /**
   * Finds active credentials; an unknown user name takes as long as a known one.
   * @param username compared case-insensitively
   */
  findLogin(username: string): Promise<SmtpLogin | null>;
  /** Looks up a credential that a connection signed in with. @returns `null` when it was deleted or deactivated */
  findStanding(credentialId: string): Promise<Pick<SmtpLogin, "stamp" | "isPaused"> | null>;
}
