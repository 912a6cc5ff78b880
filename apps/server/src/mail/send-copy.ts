/**
 * A message that leaves as the alias: composed, submitted or replied. What is stored is what is sent, with our signature on
 * top; bounces go to the alias itself, so its owner gets them like any mail.
 */
import { readHeader } from "@kauke/mail-rfc";
import type { MessageEnvelope } from "../core/message/message.ts";
import type { ForwardCopy } from "./forward-copy.ts";
import { domainOf, type MessageSigner } from "./message-signer.ts";

export interface SendSource {
  envelope: MessageEnvelope;
  /** Final message, wire form. */
  wire: Buffer;
  /** Lower case. */
  aliasAddress: string;
  /** Ours about mail that failed: goes with the null sender (RFC 5321 §4.5.5). */
  isReport: boolean;
}

export function makeSendCopy(
  { envelope, wire, aliasAddress, isReport }: SendSource,
  signer: MessageSigner,
): ForwardCopy {
  const envelopeFrom = isReport ? "" : aliasAddress;
  let signature: Promise<Buffer> | null = null;
  return {
    webhookSecret: null,
    envelopeFrom,
    correspondents: [],
    async mailTo(rcptTo) {
      const { end } = readHeader(wire);
      const header = wire.subarray(0, end);
      signature ??= signer.sign({ domain: domainOf(aliasAddress), header, wire, bodyStart: end + 2 });
      const wireParts = [await signature, wire];
      return {
        envelopeFrom,
        rcptTo,
        wireParts,
        sizeBytes: wireParts.reduce((sum, part) => sum + part.length, 0),
        eightBit: envelope.eightBit,
        smtpUtf8: envelope.smtpUtf8,
      };
    },
    webhookBody: async () => null,
    release() {},
  };
}
