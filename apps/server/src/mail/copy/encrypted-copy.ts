/**
 * The encrypted copy of a message for one alias' destinations: the original, byte for byte, as an age file in a message
 * of ours. It fails closed: what can't be encrypted is not sent, the delivery stays open and the owner is notified.
 */
import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { domainOf, unstuff } from "@kauke/mail-rfc";
import { encryptedWebhookBody } from "../transport/webhook/encrypted-webhook-body.ts";
import { CopyMemory } from "./copy-memory.ts";
import { outerMessage } from "./encrypted-header.ts";
import { EncryptionFailed } from "./encryption-failed.ts";
import type { CopyParts, EncryptionTarget, ForwardCopy, ForwardSource } from "./forward-copy.ts";
import { rewrite } from "./rewrite.ts";

export interface EncryptedCopySource extends ForwardSource {
  aliasId: string;
  replyKey: Buffer;
  encryptTo: EncryptionTarget;
}

const SLICE_BYTES = 1024 * 1024;
const nothingChecked = { spf: "none", dkim: "none", dmarc: "none", arc: "none" } as const;

export function makeEncryptedCopy(source: EncryptedCopySource, parts: CopyParts): ForwardCopy {
  const { aliasAddress, aliasId, envelope, encryptTo, webhookSecret } = source;
  const { rules, signer, encrypter } = parts;
  const rewritten = rewrite({ ...source, mayNameSender: false }, rules);
  const { envelopeFrom } = rewritten;
  const { header, opening, closing, correspondents } = outerMessage(source, rewritten, rules.mailHost);
  const memory = new CopyMemory(parts.copyMemory, encryptTo.userId, () => copy.onEvicted?.());
  let plain: Buffer | null = source.wire;
  let armored: Promise<Buffer> | null = null;
  let signature: Promise<Buffer> | null = null;
  let json: Promise<Buffer | null> | null = null;

  async function sealed(): Promise<Buffer> {
    const wire = memory.present(plain);
    if (!memory.reserve(encrypter.encryptedLength(wire.length))) throw new Error("no room in memory now");
    try {
      return await encrypter.encrypt(unstuff(wire), encryptTo.publicKey);
    } catch {
      await parts.onEncryptionFailed({ aliasId, userId: encryptTo.userId, address: aliasAddress });
      throw new EncryptionFailed();
    }
  }

  async function signed(): Promise<Buffer> {
    const wire = await (armored ??= sealed());
    signer.bodyHashes.remember(wire, 0, await hashOf([opening.subarray(2), wire, closing]));
    return signer.sign({ domain: domainOf(aliasAddress), header, wire, bodyStart: 0 });
  }

  async function buildJson(): Promise<Buffer | null> {
    const raw = await (armored ??= sealed());
    if (!memory.reserve(raw.length * 1.5 + 4096)) return null;
    const { spf, dkim, dmarc, arc } = envelope.authentication ?? nothingChecked;
    const authentication = { spf, dkim, dmarc, arc };
    return encryptedWebhookBody({ aliasAddress, receivedAt: envelope.receivedAt, raw, authentication });
  }

  const copy: ForwardCopy = {
    webhookSecret,
    envelopeFrom,
    correspondents,
    onEvicted: null,
    async mailTo(rcptTo) {
      const wireParts = [await (signature ??= signed()), header, opening, await (armored ??= sealed()), closing];
      memory.present(plain);
      return memory.issue({ envelopeFrom, rcptTo, wireParts, eightBit: false, smtpUtf8: false });
    },
    webhookBody: () => (json ??= buildJson()),
    release() {
      plain = null;
      armored = null;
      json = null;
      memory.release();
    },
  };
  return copy;
}

/** Hash of a body that is already canonical: CRLF line ends, exactly one at the end. */
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
