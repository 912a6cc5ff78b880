/**
 * A message as it leaves for one alias' destinations when its owner wants it sealed: the original, byte for byte, as an age file
 * in a message of ours. It fails closed: what can't be sealed is not sent, the delivery stays open and the owner is told.
 */
import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { unstuff } from "@kauke/mail-rfc";
import type { CopyParts, ForwardCopy, ForwardSource, SealWish } from "./forward-copy.ts";
import { bounceAddress } from "./inbound/bounce-address.ts";
import { rewrite } from "./inbound/rewrite.ts";
import { domainOf } from "./message-signer.ts";
import { sealedWebhookBody } from "./outbound/sealed-webhook-body.ts";
import { sealedOutside } from "./sealed-header.ts";
import { SealingFailed } from "./sealing-failed.ts";

export interface SealedCopySource extends ForwardSource {
  aliasId: string;
  replyKey: Buffer;
  seal: SealWish;
}

const SLICE_BYTES = 1024 * 1024;
const nothingChecked = { spf: "none", dkim: "none", dmarc: "none", arc: "none" } as const;

export function makeSealedCopy(source: SealedCopySource, parts: CopyParts): ForwardCopy {
  const { aliasAddress, aliasId, envelope } = source;
  const { budget, rules, signer } = parts;
  const { header, opening, closing, correspondents } = sealedOutside(source, rewrite(source, rules), rules.mailHost);
  // The correspondent's address would show in SRS: bounces lead to the alias, and no further.
  const ownBounces = bounceAddress(aliasId, domainOf(aliasAddress), rules.srsHash);
  const envelopeFrom = envelope.envelopeFrom === "" ? "" : ownBounces;
  let armored: Promise<Buffer> | null = null;
  let signature: Promise<Buffer> | null = null;
  let json: Promise<Buffer | null> | null = null;
  let held = 0;

  function hold(bytes: number): boolean {
    if (!budget.take(bytes)) return false;
    held += bytes;
    return true;
  }

  async function sealed(): Promise<Buffer> {
    if (!hold(parts.sealer.sealedLength(source.wire.length))) throw new Error("no room in memory now");
    try {
      return await parts.sealer.seal(unstuff(source.wire), source.seal.publicKey);
    } catch {
      await parts.onUnsealed({ aliasId, userId: source.seal.userId, address: aliasAddress });
      throw new SealingFailed();
    }
  }

  async function signed(): Promise<Buffer> {
    const wire = await (armored ??= sealed());
    signer.bodyHashes.remember(wire, 0, await hashOf([opening.subarray(2), wire, closing]));
    return signer.sign({ domain: domainOf(aliasAddress), header, wire, bodyStart: 0 });
  }

  async function buildJson(): Promise<Buffer | null> {
    const raw = await (armored ??= sealed());
    if (!hold(raw.length * 1.5 + 4096)) return null;
    const { spf, dkim, dmarc, arc } = envelope.authentication ?? nothingChecked;
    const authentication = { spf, dkim, dmarc, arc };
    return sealedWebhookBody({ aliasAddress, receivedAt: envelope.receivedAt, raw, authentication });
  }

  return {
    webhookSecret: source.webhookSecret,
    envelopeFrom,
    correspondents,
    async mailTo(rcptTo) {
      const wireParts = [await (signature ??= signed()), header, opening, await (armored ??= sealed()), closing];
      const sizeBytes = wireParts.reduce((sum, part) => sum + part.length, 0);
      return { envelopeFrom, rcptTo, wireParts, sizeBytes, eightBit: false, smtpUtf8: false };
    },
    webhookBody: () => (json ??= buildJson()),
    release() {
      budget.give(held);
      held = 0;
    },
  };
}

/** Of a body that is its own canonical form: CRLF lines, one line end at its end. */
async function hashOf(body: readonly Buffer[]): Promise<Buffer> {
  const hash = createHash("sha256");
  for (const part of body) {
    for (let at = 0; at < part.length; at += SLICE_BYTES) {
      if (at > 0) await nextTurn();
      hash.update(part.subarray(at, at + SLICE_BYTES));
    }
  }
  return hash.digest();
}
