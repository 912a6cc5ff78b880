/**
 * A copy that leaves as the alias, or a report of ours: the stored bytes with our signature on top. Bounces return to
 * the alias, so that its owner gets them like any mail.
 */
import { domainOf, readHeader } from "@kauke/mail-rfc";
import type { MessageEnvelope } from "../../core/message/message.ts";
import { type ReleasableMail, releasableMail } from "./copy-memory.ts";
import type { ForwardCopy } from "./forward-copy.ts";
import type { MessageSigner } from "./message-signer.ts";

export interface SendSource {
  /** Envelope; a null sender stays, any other sender is replaced by the alias. */
  envelope: MessageEnvelope;
  wire: Buffer;
  aliasAddress: string;
  /** Whether this is a delivery report of ours, with the null sender (RFC 5321 §4.5.5). */
  isReport: boolean;
}

export function makeSendCopy(
  { envelope, wire, aliasAddress, isReport }: SendSource,
  signer: MessageSigner,
): ForwardCopy {
  const envelopeFrom = isReport || envelope.envelopeFrom === "" ? "" : aliasAddress;
  let bytes: Buffer | null = wire;
  let issued: ReleasableMail[] = [];
  let signature: Promise<Buffer> | null = null;
  return {
    webhookSecret: null,
    envelopeFrom,
    bounceSender: null,
    correspondents: [],
    onEvicted: () => {},
    async mailTo(rcptTo) {
      if (bytes === null) throw new Error("the copy was released");
      const { end } = readHeader(bytes);
      const header = bytes.subarray(0, end);
      signature ??= signer.sign({ domain: domainOf(aliasAddress), header, wire: bytes, bodyStart: end + 2 });
      const wireParts = [await signature, bytes];
      const { eightBit, smtpUtf8 } = envelope;
      const releasable = releasableMail({ envelopeFrom, rcptTo, eightBit, smtpUtf8 }, wireParts);
      issued.push(releasable);
      return releasable.mail;
    },
    webhookBody: async () => null,
    release() {
      bytes = null;
      for (const mail of issued) mail.release();
      issued = [];
    },
  };
}
