/** Of a token that a stranger has made: how long it is kept, and whom it counts against. */
export interface TokenTerms {
  expiresAt: Date;
  /** Stored only as keyed hashes of its network and block. */
  clientAddress: string;
}
