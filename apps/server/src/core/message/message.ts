export interface MessageEnvelope {
  /** Canonical reverse-path; empty for the null sender (RFC 5321 §4.5.5). */
  envelopeFrom: string;
  helo: string;
  clientAddress: string;
  /** Host name verified by forward and reverse DNS; absent or `null` when unknown. */
  clientName?: string | null;
  protocol: "ESMTP" | "ESMTPS" | "SMTP" | "UTF8SMTP" | "UTF8SMTPS";
  receivedAt: Date;
  /** The client declared BODY=8BITMIME, or the content needs it (RFC 6152). */
  eightBit: boolean;
  smtpUtf8: boolean;
  /** Absent for mail that leaves as an alias, or without sender authentication. */
  authentication?: MessageAuthentication;
}

export type AuthResult = "pass" | "fail" | "softfail" | "neutral" | "none" | "temperror" | "permerror" | "policy";

/** Sender authentication results in the words of RFC 8601. */
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

/** As received: CRLF lines, dot-stuffed, without the final dot; relayed without conversion. */
export interface WireMessage {
  bytes: Buffer;
}

/** Sealed bodies of undelivered mail: files beside the embedded database, 256 KiB chunks on PostgreSQL. */
export interface MessageBodies {
  /** Durable. @throws AppError `spool_failed` (disk full, fsync failed), leaving no partial body */
  put(messageId: string, parts: readonly Buffer[]): Promise<void>;
  /** As `put`, from a stream that is never held whole. An error of the stream is the cause of `spool_failed`. */
  putStream(messageId: string, stream: AsyncIterable<Uint8Array>): Promise<void>;
  /** A body chunk by chunk, at most 256 KiB each. @throws AppError `spool_failed` without one; SealError if damaged */
  read(messageId: string): AsyncIterable<Buffer>;
  /** @returns `null` without a body of this id, or when it is damaged */
  get(messageId: string): Promise<Buffer | null>;
  /** The first 256 KiB, which contain the whole header of any accepted message. `null` as for `get`. */
  getStart(messageId: string): Promise<Buffer | null>;
  delete(messageId: string): Promise<void>;
  /** Deletes older bodies without a message row. @returns how many */
  sweep(isKnown: (messageId: string) => Promise<boolean>, olderThanMs: number): Promise<number>;
}

/** Stores the body, then its rows; deletes the body if `insertRows` fails, and rethrows. */
export async function enqueueMessage(
  bodies: Pick<MessageBodies, "put" | "delete">,
  { id, wire }: { id: string; wire: Buffer | readonly Buffer[] },
  insertRows: () => Promise<unknown>,
): Promise<void> {
  try {
    await bodies.put(id, [wire].flat());
    await insertRows();
  } catch (thrown) {
    await bodies.delete(id).catch(() => {});
    throw thrown;
  }
}
