/** A message that the server has accepted, stored until every delivery of it has ended. */
/** Envelope of the message and the data for its trace header fields; sealed at rest. */
export interface MessageEnvelope {
  /** Canonical reverse-path, empty for the null sender (RFC 5321 §4.5.5). */
  envelopeFrom: string;
  helo: string;
  clientAddress: string;
  /** Client's host name, verified by forward and reverse DNS; absent or `null` when unknown. */
  clientName?: string | null;
  protocol: "ESMTP" | "ESMTPS" | "SMTP" | "UTF8SMTP" | "UTF8SMTPS";
  receivedAt: Date;
  /** The client declared BODY=8BITMIME, or the content needs it (RFC 6152). */
  eightBit: boolean;
  /** The client declared SMTPUTF8 (RFC 6531). */
  smtpUtf8: boolean;
  /**
   * Authentication results at reception; absent for mail that leaves as an alias, and when sender authentication is
   * switched off.
   */
  authentication?: MessageAuthentication;
}

export type AuthResult = "pass" | "fail" | "softfail" | "neutral" | "none" | "temperror" | "permerror" | "policy";

/** Results of SPF, DKIM, DMARC and ARC, in the words of RFC 8601. */
export interface MessageAuthentication {
  spf: AuthResult;
  dkim: AuthResult;
  dmarc: AuthResult;
  arc: AuthResult;
  /** An aligned SPF or DKIM pass proves the domain of header From. */
  isAligned: boolean;
  /** Folded value of Authentication-Results, starting with our host name; `null` when nothing was checked. */
  results: string | null;
}

/**
 * A message as received: CRLF lines, dot-stuffed, ending in CRLF, without the final dot. Stored in this form so that
 * relaying it needs no conversion; `unstuff` removes the dot-stuffing.
 */
export interface WireMessage {
  bytes: Buffer;
}

/**
 * Storage of message bodies until they are delivered: sealed files beside the embedded database, sealed 256 KiB chunks
 * on PostgreSQL. `put` returns only when the body is on stable storage.
 */
export interface MessageBodies {
  /** Stores a body. @throws AppError `spool_failed` (disk full, fsync failed), leaving no partial body behind */
  put(messageId: string, parts: readonly Buffer[]): Promise<void>;
  /** Reads a body. @returns `null` when no body has this id, or when the body is damaged */
  get(messageId: string): Promise<Buffer | null>;
  /**
   * Reads at most the first 256 KiB of a body, which contain the whole header of any accepted message.
   * @returns `null` when no body has this id, or when the body is damaged
   */
  getStart(messageId: string): Promise<Buffer | null>;
  delete(messageId: string): Promise<void>;
  /** Deletes bodies without a message row that are older than `olderThanMs`. @returns how many */
  sweep(isKnown: (messageId: string) => Promise<boolean>, olderThanMs: number): Promise<number>;
}

/**
 * Puts a message into the queue: first its body onto stable storage, then its rows. If the rows cannot be stored, the
 * body is deleted again.
 * @param insertRows commits the message's rows
 * @throws what storing throws; then nothing was enqueued
 */
export async function enqueueMessage(
  bodies: Pick<MessageBodies, "put" | "delete">,
  { id, wire }: { id: string; wire: Buffer },
  insertRows: () => Promise<unknown>,
): Promise<void> {
  try {
    await bodies.put(id, [wire]);
    await insertRows();
  } catch (thrown) {
    await bodies.delete(id).catch(() => {});
    throw thrown;
  }
}
