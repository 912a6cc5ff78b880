/** Expiry of a token that an anonymous client requested, and the client whose limit it counts against. */
export interface TokenTerms {
  expiresAt: Date;
  /** Client's IP address; stored only as keyed hashes of its network and block. */
  clientAddress: string;
}
