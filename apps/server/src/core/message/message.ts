/** A message in our keeping, from the final dot until every delivery of it ended. */

/** The envelope and what the trace headers need; sealed at rest. */
export interface MessageEnvelope {
  /** Canonical reverse-path, empty for the null sender (RFC 5321 §4.5.5). */
  envelopeFrom: string;
  helo: string;
  clientAddress: string;
  /** The client's host name, confirmed by the DNS; absent or `null` when it is not known. */
  clientName?: string | null;
  protocol: "ESMTP" | "ESMTPS" | "SMTP" | "UTF8SMTP" | "UTF8SMTPS";
  receivedAt: Date;
  /** BODY=8BITMIME was said, or the bytes need it (RFC 6152). */
  eightBit: boolean;
  /** SMTPUTF8 was said (RFC 6531). */
  smtpUtf8: boolean;
  /** What was found on arrival; absent for mail that leaves as an alias and for the operator's. */
  authentication?: MessageAuthentication;
}

export type AuthResult = "pass" | "fail" | "softfail" | "neutral" | "none" | "temperror" | "permerror" | "policy";

/** SPF, DKIM, DMARC and ARC in short (RFC 8601's words). */
export interface MessageAuthentication {
  spf: AuthResult;
  dkim: AuthResult;
  dmarc: AuthResult;
  arc: AuthResult;
  /** The domain of header From is proven by an aligned SPF or DKIM pass. */
  isAligned: boolean;
  /** Value of Authentication-Results, our name first, folded; `null` when nothing was checked. */
  results: string | null;
}

/**
 * The message as it came over the wire: CRLF lines, dot-stuffed, ending in CRLF, without the final dot. Kept in this form
 * because relaying it again costs nothing; `unstuff` gives the plain form for those who read it.
 */
export interface WireMessage {
  bytes: Buffer;
}

/**
 * Where bodies lie between acceptance and delivery: sealed files beside the embedded database, sealed 256 KiB chunks on
 * PostgreSQL. `put` returns only when the body is on stable storage.
 */
export interface MessageBodies {
  /** @throws AppError `spool_failed` (disk full, fsync failed); nothing is left behind */
  put(messageId: string, parts: readonly Buffer[]): Promise<void>;
  /** @returns `null` when no such body is kept */
  get(messageId: string): Promise<Buffer | null>;
  /** The first 256 KiB at most: the header of any message that was accepted. @returns `null` when no such body is kept */
  getStart(messageId: string): Promise<Buffer | null>;
  delete(messageId: string): Promise<void>;
  /** Removes bodies that no row names, older than `olderThanMs`. @returns how many */
  sweep(isKnown: (messageId: string) => Promise<boolean>, olderThanMs: number): Promise<number>;
}
