export interface MessageEnvelope {
  /** Canonical reverse-path, empty for the null sender (RFC 5321 §4.5.5). */
  envelopeFrom: string;
  helo: string;
  clientAddress: string;
  /** Host name, verified by forward and reverse DNS; absent or `null` when unknown. */
  clientName?: string | null;
  protocol: "ESMTP" | "ESMTPS" | "SMTP" | "UTF8SMTP" | "UTF8SMTPS";
  receivedAt: Date;
  /** The client declared BODY=8BITMIME, or the content needs it (RFC 6152). */
  eightBit: boolean;
  /** The client declared SMTPUTF8 (RFC 6531). */
  smtpUtf8: boolean;
  /** Absent for mail that leaves as an alias, and when sender authentication is switched off. */
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

/** Message as received: CRLF lines, dot-stuffed, ending in CRLF, without the final dot; relayed without conversion. */
export interface WireMessage {
  bytes: Buffer;
}

/** Bodies until they are delivered: sealed files beside the embedded database, sealed 256 KiB chunks on PostgreSQL. */
export interface MessageBodies {
  /** Stores a body durably. @throws AppError `spool_failed` (disk full, fsync failed), leaving no partial body */
  put(messageId: string, parts: readonly Buffer[]): Promise<void>;
  /** @returns `null` when no body has this id, or when the body is damaged */
  get(messageId: string): Promise<Buffer | null>;
  /** Reads up to the first 256 KiB of a body, where any accepted message's whole header is. `null` as for `get`. */
  getStart(messageId: string): Promise<Buffer | null>;
  delete(messageId: string): Promise<void>;
  /** Deletes bodies without a message row that are older than `olderThanMs`. @returns how many */
  sweep(isKnown: (messageId: string) => Promise<boolean>, olderThanMs: number): Promise<number>;
}

/** Stores the body, then its rows; deletes the body if `insertRows` fails. @throws what storing throws */
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
