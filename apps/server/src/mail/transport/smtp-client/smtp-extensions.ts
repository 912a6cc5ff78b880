/** The extensions that a peer offers in its reply to EHLO (RFC 5321 §4.1.1.1), as far as we use them. */
import type { PeerReply } from "../../smtp-reply.ts";

export interface SmtpExtensions {
  pipelining: boolean;
  eightBitMime: boolean;
  smtpUtf8: boolean;
  startTls: boolean;
  /** Whether SIZE is offered (RFC 1870). */
  size: boolean;
  /** Largest message the peer takes; `null` when it gives no limit (or 0, which means the same). */
  maxSizeBytes: number | null;
  /** Names of the AUTH mechanisms that the peer offers, in upper case, e.g. `PLAIN`. */
  authMechanisms: ReadonlySet<string>;
}

/** Extensions of a peer that only knows HELO: none. */
export const noExtensions: SmtpExtensions = {
  pipelining: false,
  eightBitMime: false,
  smtpUtf8: false,
  startTls: false,
  size: false,
  maxSizeBytes: null,
  authMechanisms: new Set(),
};

export function readExtensions(ehlo: PeerReply): SmtpExtensions {
  const offered = new Map<string, string[]>();
  for (const line of ehlo.lines.slice(1)) {
    // Servers older than RFC 4954 write "AUTH=LOGIN".
    const [keyword = "", ...params] = line.toUpperCase().split(/[ =]+/);
    offered.set(keyword, params);
  }
  const size = Number(offered.get("SIZE")?.[0]);
  return {
    pipelining: offered.has("PIPELINING"),
    eightBitMime: offered.has("8BITMIME"),
    smtpUtf8: offered.has("SMTPUTF8"),
    startTls: offered.has("STARTTLS"),
    size: offered.has("SIZE"),
    maxSizeBytes: Number.isSafeInteger(size) && size > 0 ? size : null,
    authMechanisms: new Set(offered.get("AUTH")),
  };
}
