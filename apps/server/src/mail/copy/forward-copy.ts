/**
 * A message as it leaves for one alias' destinations: rewritten once, sent to each of them. Made from what was received, or
 * from the same bytes out of the spool: both give the same copy.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { domainOf, unstuff } from "@kauke/mail-rfc";
import type { BackgroundMemory } from "../background-memory.ts";
import type { OutgoingMail } from "../transport/transport.ts";
import type { WebhookBodyMaker } from "../transport/webhook/webhook-body-maker.ts";
import { CopyMemory } from "./copy-memory.ts";
import { forwardInvitations } from "./invitations.ts";
import type { MessageSigner, ToSign } from "./message-signer.ts";
import type { Correspondent } from "./reply-book.ts";
import { type RewriteRules, type RewriteSource, rewrite } from "./rewrite.ts";

export interface ForwardCopy {
  /** `null` for the operator's copies, which never go to a webhook. */
  webhookSecret: Buffer | null;
  /** Ours, by SRS. */
  envelopeFrom: string;
  /** Who got a reply address in it; each must be kept before the copy leaves. */
  correspondents: readonly Correspondent[];
  /** Signed once, for all destinations. */
  mailTo(address: string): Promise<OutgoingMail>;
  /** The JSON, made once and counted in the memory for copies; `null` when there is no room for it now. */
  webhookBody(): Promise<Buffer | null>;
  /** Set by who runs the attempts: called when the copy has to give its memory back, so that they end. */
  onEvicted: (() => void) | null;
  /** Drops the message's bytes and all that was made of them, also in what `mailTo` gave out. No attempt succeeds afterwards. */
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
  /** Whose memory it counts in; `null` for the operator's own mail. */
  account: string | null;
  webhookSecret: Buffer | null;
  /** `null`: forwarded as it is. */
  seal: SealWish | null;
}

const smallestJsonBytes = 4096;
const CRLF = Buffer.from("\r\n");
const nothingChecked = { spf: "none", dkim: "none", dmarc: "none", arc: "none" } as const;

export interface CopyParts {
  rules: RewriteRules;
  signer: MessageSigner;
  /** Whether what was found on arrival is sealed into an ARC set. */
  isSealing: boolean;
  /** For what is made of messages, beside the messages themselves: webhook bodies and encrypted copies. */
  copyMemory: BackgroundMemory;
  webhookBodies: Pick<WebhookBodyMaker, "make">;
  sealer: Sealer;
  /** Mail of this alias waits because it could not be sealed. */
  onUnsealed(alias: { aliasId: string; userId: string; address: string }): Promise<void>;
}

/** What follows the envelope, beside the header. */
interface Leaving {
  signature: Buffer;
  /** The blank line and all after it, wire form. */
  body: readonly Buffer[];
}

export function makePlainCopy(source: ForwardSource, parts: CopyParts): ForwardCopy {
  return new PlainCopy(source, parts);
}

/** Holds the bytes of a message in two fields alone, never its source: `release` drops them while attempts may still wait. */
class PlainCopy implements ForwardCopy {
  readonly webhookSecret: Buffer | null;
  readonly envelopeFrom: string;
  readonly correspondents: readonly Correspondent[];
  onEvicted: (() => void) | null = null;
  readonly #parts: CopyParts;
  readonly #memory: CopyMemory;
  readonly #about: Pick<ForwardSource, "envelope" | "aliasAddress" | "account">;
  readonly #header: Buffer;
  readonly #bodyStart: number;
  #bytes: { wire: Buffer; rest: Buffer } | null;
  #invitations: ReturnType<typeof forwardInvitations>;
  #leaving: Promise<Leaving> | null = null;
  #json: Promise<Buffer | null> | null = null;

  constructor(source: ForwardSource, parts: CopyParts) {
    const { envelope, aliasAddress, account } = source;
    const rewritten = rewrite(source, parts.rules);
    this.#parts = parts;
    this.#about = { envelope, aliasAddress, account };
    this.#memory = new CopyMemory(parts.copyMemory, account, () => this.onEvicted?.());
    this.#bodyStart = source.header.isSeparated ? source.header.end + 2 : source.header.end;
    this.#bytes = { wire: source.wire, rest: rewritten.rest };
    // Adds the people of calendars to those who have reply addresses.
    this.#invitations = forwardInvitations(source, rewritten);
    this.#header = this.#invitations?.header ?? rewritten.header;
    this.webhookSecret = source.webhookSecret;
    this.envelopeFrom = rewritten.envelopeFrom;
    this.correspondents = rewritten.replies?.correspondents() ?? [];
  }

  async mailTo(rcptTo: string): Promise<OutgoingMail> {
    const { signature, body } = await (this.#leaving ??= this.#leave());
    this.#memory.present(this.#bytes);
    const { eightBit, smtpUtf8 } = this.#about.envelope;
    const wireParts = [signature, this.#header, ...body];
    return this.#memory.issue({ envelopeFrom: this.envelopeFrom, rcptTo, wireParts, eightBit, smtpUtf8 });
  }

  webhookBody(): Promise<Buffer | null> {
    return (this.#json ??= this.#buildJson());
  }

  release(): void {
    this.#bytes = null;
    this.#invitations = null;
    this.#leaving = null;
    this.#json = null;
    this.#memory.release();
  }

  async #leave(): Promise<Leaving> {
    const { wire, rest } = this.#memory.present(this.#bytes);
    if (this.#invitations === null) return { signature: await this.#sign(wire, this.#bodyStart), body: [rest] };
    const made = await oneInTurn(this.#invitations.makeBody);
    if (!this.#memory.keep(made.newBytes)) throw new Error("no room in memory now");
    // The hash is known, so that the signer reads nothing but the header.
    const hashed = Buffer.alloc(0);
    this.#parts.signer.bodyHashes.remember(hashed, 0, made.hash);
    return { signature: await this.#sign(hashed, 0), body: [CRLF, ...made.wire] };
  }

  async #sign(wire: Buffer, bodyStart: number): Promise<Buffer> {
    const { signer, isSealing } = this.#parts;
    const message: ToSign = { domain: domainOf(this.#about.aliasAddress), header: this.#header, wire, bodyStart };
    if (!isSealing) return signer.sign(message);
    const { authentication } = this.#about.envelope;
    return Buffer.concat(await Promise.all([signer.seal(message, authentication), signer.sign(message)]));
  }

  /** Reserves room before the body is made: raw and attachments both travel as base64. */
  async #buildJson(): Promise<Buffer | null> {
    const { envelope, aliasAddress, account } = this.#about;
    const wire = this.#bytes?.wire;
    const reserved = (wire?.length ?? 0) * 3 + smallestJsonBytes;
    if (wire === undefined || !this.#memory.reserve(reserved)) return null;
    const { spf, dkim, dmarc, arc } = envelope.authentication ?? nothingChecked;
    const message = { aliasAddress, envelope, raw: unstuff(wire), authentication: { spf, dkim, dmarc, arc } };
    const made = await this.#parts.webhookBodies.make(message, reserved, {
      party: account ?? "operator",
      isWanted: () => !this.#memory.isReleased,
    });
    this.#memory.shrink(made?.length ?? 0);
    return this.#memory.isReleased ? null : made;
  }
}

let line: Promise<unknown> = Promise.resolve();

/** A message may go to a hundred aliases at once: their bodies are made in as many turns of the event loop. */
function oneInTurn<T>(work: () => T): Promise<T> {
  const done = line.then(() => nextTurn()).then(work);
  line = done.catch(() => {});
  return done;
}
