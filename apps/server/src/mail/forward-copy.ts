/**
 * A message as it leaves for one alias' destinations: rewritten once, sent to each of them. Made from what was received, or
 * from the same bytes out of the spool: both give the same copy.
 */
import { unstuff } from "@kauke/mail-rfc";
import type { MemoryBudget } from "./inbound/memory-budget.ts";
import { type RewriteRules, type RewriteSource, rewrite } from "./inbound/rewrite.ts";
import { domainOf, type MessageSigner, type ToSign } from "./message-signer.ts";
import type { OutgoingMail } from "./outbound/transport.ts";
import type { WebhookBodyMaker } from "./outbound/webhook-body-maker.ts";
import type { Correspondent } from "./reply-book.ts";

export interface ForwardCopy {
  /** `null` for the operator's copies, which never go to a webhook. */
  webhookSecret: Buffer | null;
  /** Ours, by SRS. */
  envelopeFrom: string;
  /** Who got a reply address in it; each must be kept before the copy leaves. */
  correspondents: readonly Correspondent[];
  /** Signed once, for all destinations. */
  mailTo(address: string): Promise<OutgoingMail>;
  /** The JSON, made once and counted in the byte budget; `null` when there is no room for it now. */
  webhookBody(): Promise<Buffer | null>;
  /** Gives back what the copy holds of the budget. */
  release(): void;
}

/** Whose mail it is, and the public key it is sealed to. */
export interface SealWish {
  publicKey: string;
  userId: string;
}

/** The way to an armored age file that does not hold up the event loop. */
export interface Sealer {
  /** @throws whatever went wrong: then nothing leaves */
  seal(plaintext: Buffer, publicKey: string): Promise<Buffer>;
  /** The most it makes of so many bytes. */
  sealedLength(sizeBytes: number): number;
}

export interface ForwardSource extends RewriteSource {
  webhookSecret: Buffer | null;
  /** `null`: forwarded as it is. */
  seal: SealWish | null;
}

const smallestJsonBytes = 4096;
const nothingChecked = { spf: "none", dkim: "none", dmarc: "none", arc: "none" } as const;

export interface CopyParts {
  rules: RewriteRules;
  signer: MessageSigner;
  /** Whether what was found on arrival is sealed into an ARC set. */
  isSealing: boolean;
  budget: MemoryBudget;
  webhookBodies: Pick<WebhookBodyMaker, "make">;
  sealer: Sealer;
  /** Mail of this alias waits because it could not be sealed. */
  onUnsealed(alias: { aliasId: string; userId: string; address: string }): Promise<void>;
}

export function makePlainCopy(source: ForwardSource, parts: CopyParts): ForwardCopy {
  const { rules, signer, budget } = parts;
  const { envelope, aliasAddress } = source;
  const { envelopeFrom, header, rest, correspondents } = rewrite(source, rules);
  let signature: Promise<Buffer> | null = null;
  let json: Promise<Buffer | null> | null = null;
  let held = 0;

  async function signed(message: ToSign): Promise<Buffer> {
    if (!parts.isSealing) return signer.sign(message);
    return Buffer.concat(await Promise.all([signer.seal(message, envelope.authentication), signer.sign(message)]));
  }

  // Reserved before it is made: raw and attachments both travel as base64.
  async function buildJson(): Promise<Buffer | null> {
    const reserved = source.wire.length * 3 + smallestJsonBytes;
    if (!budget.take(reserved)) return null;
    held = reserved;
    const { spf, dkim, dmarc, arc } = envelope.authentication ?? nothingChecked;
    const authentication = { spf, dkim, dmarc, arc };
    const raw = unstuff(source.wire);
    return parts.webhookBodies.make({ aliasAddress, envelope, raw, authentication }, reserved);
  }

  return {
    webhookSecret: source.webhookSecret,
    envelopeFrom,
    correspondents,
    async mailTo(rcptTo) {
      const bodyStart = source.header.isSeparated ? source.header.end + 2 : source.header.end;
      signature ??= signed({ domain: domainOf(aliasAddress), header, wire: source.wire, bodyStart });
      const wireParts = [await signature, header, rest];
      const sizeBytes = wireParts.reduce((sum, part) => sum + part.length, 0);
      return { envelopeFrom, rcptTo, wireParts, sizeBytes, eightBit: envelope.eightBit, smtpUtf8: envelope.smtpUtf8 };
    },
    webhookBody: () => (json ??= buildJson()),
    release() {
      budget.give(held);
      held = 0;
    },
  };
}
