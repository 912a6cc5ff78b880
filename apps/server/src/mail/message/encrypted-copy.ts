/**
 * The encrypted copy of a message for one alias' destinations: the original, byte for byte, as an age file in a message
 * of ours. It fails closed: what can't be encrypted is not sent, the delivery stays open and the owner is notified.
 */
import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { domainOf, unstuff } from "@kauke/mail-rfc";
import type { OutgoingMail } from "../transport/transport.ts";
import { encryptedWebhookBody } from "../transport/webhook/webhook-body.ts";
import { CopyMemory } from "./copy-memory.ts";
import { type OuterMessage, outerMessage } from "./encrypted-header.ts";
import {
  type CopyParts,
  type EncryptionTarget,
  type ForwardCopy,
  type ForwardSource,
  makePlainCopy,
} from "./forward-copy.ts";
import type { Correspondent } from "./reply-book.ts";
import { rewrite } from "./rewrite.ts";

/** Thrown when a copy could not be encrypted: the mail waits, and is never sent unencrypted. */
export class EncryptionFailed extends Error {
  override name = "EncryptionFailed";
}

interface EncryptedCopySource extends ForwardSource {
  aliasId: string;
  replyKey: Buffer;
  encryptTo: EncryptionTarget;
}

const SLICE_BYTES = 1024 * 1024;
const nothingChecked = { spf: "none", dkim: "none", dmarc: "none", arc: "none" } as const;

/** Makes the copy for an alias' destinations: encrypted if the owner wants that, otherwise plain. */
export function makeForwardCopy(source: ForwardSource, parts: CopyParts): ForwardCopy {
  const { encryptTo, aliasId, replyKey } = source;
  if (encryptTo === null) return makePlainCopy(source, parts);
  if (aliasId === null || replyKey === null) throw new Error("only an alias' mail is encrypted");
  return new EncryptedCopy({ ...source, encryptTo, aliasId, replyKey }, parts);
}

class EncryptedCopy implements ForwardCopy {
  readonly webhookSecret: Buffer | null;
  readonly envelopeFrom: string;
  readonly bounceSender = null;
  readonly correspondents: readonly Correspondent[];
  readonly #parts: CopyParts;
  readonly #memory: CopyMemory;
  readonly #about: Pick<EncryptedCopySource, "aliasAddress" | "aliasId" | "encryptTo" | "envelope">;
  readonly #outer: OuterMessage;
  #plain: Buffer | null;
  #armored: Promise<Buffer> | null = null;
  #signature: Promise<Buffer> | null = null;
  #json: Promise<Buffer | null> | null = null;

  constructor(source: EncryptedCopySource, parts: CopyParts) {
    const { aliasAddress, aliasId, encryptTo, envelope } = source;
    const rewritten = rewrite({ ...source, mayNameSender: false }, parts.rules);
    this.#parts = parts;
    this.#about = { aliasAddress, aliasId, encryptTo, envelope };
    this.#memory = new CopyMemory(parts.copyMemory, encryptTo.userId, () => this.release());
    this.#outer = outerMessage(source, rewritten, parts.rules.mailHost);
    this.#plain = source.wire;
    this.webhookSecret = source.webhookSecret;
    this.envelopeFrom = rewritten.envelopeFrom;
    this.correspondents = this.#outer.correspondents;
  }

  async mailTo(rcptTo: string): Promise<OutgoingMail> {
    const { header, opening, closing } = this.#outer;
    const signature = await (this.#signature ??= this.#sign());
    const wireParts = [signature, header, opening, await (this.#armored ??= this.#encrypt()), closing];
    this.#memory.present(this.#plain);
    const { envelopeFrom } = this;
    return this.#memory.issue({ envelopeFrom, rcptTo, eightBit: false, smtpUtf8: false }, wireParts);
  }

  onEvicted(stop: () => void): void {
    this.#memory.onEvicted(stop);
  }

  webhookBody(): Promise<Buffer | null> {
    return (this.#json ??= this.#buildJson());
  }

  release(): void {
    this.#plain = null;
    this.#armored = null;
    this.#json = null;
    this.#memory.release();
  }

  async #encrypt(): Promise<Buffer> {
    const wire = this.#memory.present(this.#plain);
    const { encrypter, onEncryptionFailed } = this.#parts;
    const { aliasAddress: address, aliasId, encryptTo } = this.#about;
    if (!this.#memory.reserve(encrypter.encryptedLength(wire.length))) throw new Error("no room in memory now");
    try {
      return await encrypter.encrypt(unstuff(wire), encryptTo.publicKey);
    } catch {
      await onEncryptionFailed({ aliasId, userId: encryptTo.userId, address });
      throw new EncryptionFailed();
    }
  }

  async #sign(): Promise<Buffer> {
    const { header, opening, closing } = this.#outer;
    const { signer } = this.#parts;
    const wire = await (this.#armored ??= this.#encrypt());
    signer.bodyHashes.remember(wire, 0, await hashOf([opening.subarray(2), wire, closing]));
    return signer.sign({ domain: domainOf(this.#about.aliasAddress), header, wire, bodyStart: 0 });
  }

  async #buildJson(): Promise<Buffer | null> {
    const raw = await (this.#armored ??= this.#encrypt());
    if (!this.#memory.reserve(raw.length * 1.5 + 4096)) return null;
    const { aliasAddress, envelope } = this.#about;
    const { spf, dkim, dmarc, arc } = envelope.authentication ?? nothingChecked;
    const authentication = { spf, dkim, dmarc, arc };
    return encryptedWebhookBody({ aliasAddress, receivedAt: envelope.receivedAt, raw, authentication });
  }
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
