/** One mail transaction, from MAIL to the final dot (RFC 5321 §3.3), as an immutable value for the stages. */
import type { InstructionProof, Mailbox } from "@kauke/mail-rfc";
import type { AliasRoute } from "../core/alias/alias.ts";
import type { MessageEnvelope } from "../core/message/message.ts";

export interface ReplyRecipient {
  kind: "reply";
  address: string;
  correspondent: Mailbox;
  route: AliasRoute;
  forOthers?: AliasRecipient;
}

export interface BounceRecipient {
  kind: "bounce";
  address: string;
  /** `null` for an SRS address of the older form, which names no alias. */
  aliasId: string | null;
  sender: string | null;
}

/** The tag of `alias+person=host.example@domain`. */
export interface SendTag {
  address: string;
  /** E.g. `person@host.example`; `null` for a tag that has a `=` but names none. */
  recipient: string | null;
}

export interface AliasRecipient {
  kind: "alias";
  route: AliasRoute;
  /** Set if the tag names a recipient, or should: the owner's message is sent there or refused. */
  sendTag?: SendTag;
}

/** A name of an own domain that is no alias yet: the message makes it, once it is accepted from an authentic sender. */
export interface AppearingRecipient {
  kind: "appearing";
  address: string;
  name: string;
  domain: string;
  domainId: string;
  userId: string;
}

export type ResolvedRecipient =
  | AliasRecipient
  | AppearingRecipient
  | { kind: "paused" }
  /** postmaster@ or abuse@ of one of our domains (RFC 5321 §4.5.1, RFC 2142). */
  | { kind: "operator"; address: string }
  /** Address of a proof of mail that the operator started. */
  | { kind: "probe"; address: string; id: string }
  | ReplyRecipient
  | { kind: "outside"; address: string }
  | BounceRecipient;

/** Whether the author sent the message to this envelope, or anybody else sent it again. */
export interface AuthorInstruction {
  /** SPF passes for this envelope, aligned with header From. */
  isByEnvelope: boolean;
  /** Aligned signatures over every To and Cc field: each proves an instruction to these addresses, once. */
  signatures: readonly InstructionProof[];
  /** Aligned signatures with unreadable keys: a retry may prove the same instruction. */
  unread: readonly InstructionProof[];
  /** An unfinished check could prove the instruction, or more of it. */
  isUnfinished: boolean;
}

export interface Transaction {
  readonly messageId: string;
  readonly envelope: Readonly<MessageEnvelope>;
  readonly recipients: readonly ResolvedRecipient[];
  /** CRLF lines, dot-stuffed, ending in CRLF, without the final dot. */
  readonly wire: Buffer;
  /** This process sent the message itself, from an alias on this server, so that `envelopeFrom` is genuine. */
  readonly isOurs: boolean;
  /** Absent or `null` where nothing was checked, or no recipient is a reply or send address. */
  readonly instruction?: AuthorInstruction | null;
}
