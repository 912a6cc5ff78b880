/** What one MAIL … final dot gathered (RFC 5321 §3.3): value in, value out for every stage after `receive`. */
import type { Mailbox } from "@kauke/mail-rfc";
import type { AliasRoute } from "../core/alias/alias.ts";
import type { MessageEnvelope } from "../core/message/message.ts";

/** The owner of an alias writes to a correspondent. */
export interface ReplyRecipient {
  kind: "reply";
  /** Canonical, `r-<token>@<alias domain>`. */
  address: string;
  correspondent: Mailbox;
  route: AliasRoute;
}

/** A delivery report for something we forwarded. What it is about is in the address, which we made, and not in the report. */
export interface BounceRecipient {
  kind: "bounce";
  /** The alias that the address was made for; `null` for SRS of the older form, which names none. */
  aliasId: string | null;
  /** Who wrote, was proven to, and may be told; from SRS. */
  sender: string | null;
}

export type ResolvedRecipient =
  | { kind: "alias"; route: AliasRoute }
  | { kind: "paused" }
  /** postmaster@ or abuse@ of one of our domains (RFC 5321 §4.5.1, RFC 2142). @param address lower case */
  | { kind: "operator"; address: string }
  | ReplyRecipient
  /** Whom a signed-in alias writes to; submission only. @param address canonical */
  | { kind: "outside"; address: string }
  | BounceRecipient;

export interface Transaction {
  /** Names the message in trace fields, in the store and to webhooks. */
  readonly messageId: string;
  readonly envelope: Readonly<MessageEnvelope>;
  readonly recipients: readonly ResolvedRecipient[];
  /** Wire form: CRLF lines, dot-stuffed, ending in CRLF, without the final dot. */
  readonly wire: Buffer;
  /** It was written in this process, by an alias of ours: `envelopeFrom` is true. */
  readonly isOurs: boolean;
  /** Nothing proves the author, but a check did not end: the same mail may be proven later. */
  readonly isProofUnfinished?: boolean;
}
