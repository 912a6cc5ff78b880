/** A message's copy for one alias, rewritten once; from the received or the spooled bytes, with equal results. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { domainOf, readHeader, unstuff } from "@kauke/mail-rfc";
import type { BounceSender } from "../../core/bounce-sender.ts";
import type { AuthResult, MessageEnvelope } from "../../core/message/message.ts";
import type { BackgroundMemory } from "../../limits/bytes.ts";
import type { OutgoingMail } from "../transport/transport.ts";
import type { WebhookBodyMaker } from "../transport/webhook/webhook-body-maker.ts";
import { CopyMemory, type ReleasableMail, releasableMail } from "./copy-memory.ts";
import type { MessageSigner, SignsArcFor, ToSign } from "./message-signer.ts";
import type { ForwardedInvitations, Invitations } from "./optional-features.ts";
import type { Correspondent } from "./reply-book.ts";
import { type RewriteRules, type RewriteSource, rewrite } from "./rewrite.ts";

export interface ForwardCopy {
  /** `null` for copies to the operator, which never go to a webhook. */
  webhookSecret: Buffer | null;
  /** An SRS or bounce address, or the alias for mail it sends; empty for the null sender. */
  envelopeFrom: string;
  /** Whose token `envelopeFrom` contains; to be stored before the copy is sent. */
  bounceSender: BounceSender | null;
  correspondents: readonly Correspondent[];
  mailTo(address: string): Promise<OutgoingMail>;
  /** Made once and counted in the memory for copies; `null` when there is no room now. */
  webhookBody(): Promise<Buffer | null>;
  onEvicted(stop: () => void): void;
  /** Drops the bytes of the message and of mails from `mailTo`. Attempts that have not sent them fail. */
  release(): void;
}

export interface EncryptionTarget {
  publicKey: string;
  userId: string;
}

export interface Encrypter {
  /** @throws when encrypting fails for any reason; then the message is not sent */
  encrypt(plaintext: Buffer, publicKey: string): Promise<Buffer>;
  encryptedLength(sizeBytes: number): number;
}

export interface ForwardSource extends RewriteSource {
  /** Account that the memory counts against; `null` for mail to the operator. */
  account: string | null;
  webhookSecret: Buffer | null;
  encryptTo: EncryptionTarget | null;
}

const JSON_OVERHEAD_BYTES = 4096;
const CRLF = Buffer.from("\r\n");

export interface CopyParts {
  rules: RewriteRules;
  invitations: Pick<Invitations, "forward">;
  signer: MessageSigner;
  signsArcFor: SignsArcFor;
  copyMemory: BackgroundMemory;
  webhookBodies: Pick<WebhookBodyMaker, "make">;
  encrypter: Encrypter;
  /** Called when mail stays queued because it could not be encrypted. */
  onEncryptionFailed(alias: { aliasId: string; userId: string; address: string }): Promise<void>;
}

interface SignedBody {
  signature: Buffer;
  signed: ToSign;
  body: readonly Buffer[];
}

export function makePlainCopy(source: ForwardSource, parts: CopyParts): ForwardCopy {
  return new PlainCopy(source, parts);
}

/** Message bytes are only in fields that `release` sets to `null`, so that waiting attempts don't hold them. */
class PlainCopy implements ForwardCopy {
  readonly webhookSecret: Buffer | null;
  readonly envelopeFrom: string;
  readonly bounceSender: BounceSender | null;
  readonly correspondents: readonly Correspondent[];
  readonly #parts: CopyParts;
  readonly #memory: CopyMemory;
  readonly #about: Pick<ForwardSource, "envelope" | "aliasAddress" | "account">;
  readonly #header: Buffer;
  readonly #fields: ToSign["fields"];
  readonly #bodyStart: number;
  #bytes: { wire: Buffer; rest: Buffer } | null;
  #invitations: ForwardedInvitations | null;
  #signedBody: Promise<SignedBody> | null = null;
  #arcSet: Promise<Buffer> | null = null;
  #json: Promise<Buffer | null> | null = null;

  constructor(source: ForwardSource, parts: CopyParts) {
    const { envelope, aliasAddress, account } = source;
    const rewritten = rewrite(source, parts.rules);
    this.#parts = parts;
    this.#about = { envelope, aliasAddress, account };
    this.#memory = new CopyMemory(parts.copyMemory, account, () => this.release());
    this.#bodyStart = source.header.isSeparated ? source.header.end + 2 : source.header.end;
    this.#bytes = { wire: source.wire, rest: rewritten.rest };
    // People in the message's calendars get reply addresses too.
    this.#invitations = parts.invitations.forward(source, rewritten);
    this.#header = this.#invitations?.header ?? rewritten.header;
    this.#fields = this.#invitations === null ? rewritten.fields : null;
    this.webhookSecret = source.webhookSecret;
    this.envelopeFrom = rewritten.envelopeFrom;
    this.bounceSender = rewritten.bounceSender;
    this.correspondents = rewritten.replies?.correspondents() ?? [];
  }

  async mailTo(rcptTo: string): Promise<OutgoingMail> {
    const { signature, signed, body } = await (this.#signedBody ??= this.#makeSignedBody());
    const arcSet = this.#needsArcSet(rcptTo) ? [await this.#arcSetOf(signed)] : [];
    this.#memory.present(this.#bytes);
    const { eightBit, smtpUtf8 } = this.#about.envelope;
    const wireParts = [...arcSet, signature, this.#header, ...body];
    return this.#memory.issue({ envelopeFrom: this.envelopeFrom, rcptTo, eightBit, smtpUtf8 }, wireParts);
  }

  onEvicted(stop: () => void): void {
    this.#memory.onEvicted(stop);
  }

  webhookBody(): Promise<Buffer | null> {
    return (this.#json ??= this.#buildJson());
  }

  release(): void {
    this.#bytes = null;
    this.#invitations = null;
    this.#signedBody = null;
    this.#arcSet = null;
    this.#json = null;
    this.#memory.release();
  }

  #makeSignedBody(): Promise<SignedBody> {
    const { wire, rest } = this.#memory.present(this.#bytes);
    return this.#invitations === null
      ? this.#sign({ wire, bodyStart: this.#bodyStart }, [rest])
      : this.#makeInvitation(this.#invitations);
  }

  async #makeInvitation({ makeBody }: ForwardedInvitations): Promise<SignedBody> {
    const made = await oneAtATime(makeBody);
    if (!this.#memory.keep(made.newBytes)) throw new Error("no room in memory now");
    // The signer reads only the header, because the body hash is known.
    const hashed = Buffer.alloc(0);
    this.#parts.signer.bodyHashes.remember(hashed, 0, made.hash);
    return this.#sign({ wire: hashed, bodyStart: 0 }, [CRLF, ...made.wire]);
  }

  #sign(hashed: Pick<ToSign, "wire" | "bodyStart">, body: readonly Buffer[]): Promise<SignedBody> {
    const domain = domainOf(this.#about.aliasAddress);
    const signed: ToSign = { domain, header: this.#header, fields: this.#fields, ...hashed };
    return this.#parts.signer.sign(signed).then((signature) => ({ signature, signed, body }));
  }

  #needsArcSet(rcptTo: string): boolean {
    return this.#parts.signsArcFor(rcptTo, resultsOf(this.#about.envelope).arc);
  }

  #arcSetOf(signed: ToSign): Promise<Buffer> {
    return (this.#arcSet ??= this.#parts.signer.signArc(signed, this.#about.envelope.authentication));
  }

  /** Reserves memory first: the body contains the raw message and the attachments as base64. */
  async #buildJson(): Promise<Buffer | null> {
    const { envelope, aliasAddress, account } = this.#about;
    const wire = this.#bytes?.wire;
    const reserved = (wire?.length ?? 0) * 3 + JSON_OVERHEAD_BYTES;
    if (wire === undefined || !this.#memory.reserve(reserved)) return null;
    const message = { aliasAddress, envelope, raw: unstuff(wire), authentication: resultsOf(envelope) };
    const made = await this.#parts.webhookBodies.make(message, reserved, {
      party: account ?? "operator",
      isWanted: () => !this.#memory.isReleased,
    });
    this.#memory.shrink(made?.length ?? 0);
    return this.#memory.isReleased ? null : made;
  }
}

/** Results without the text of the header field. */
export function resultsOf({ authentication }: MessageEnvelope): Record<"spf" | "dkim" | "dmarc" | "arc", AuthResult> {
  const { spf = "none", dkim = "none", dmarc = "none", arc = "none" } = authentication ?? {};
  return { spf, dkim, dmarc, arc };
}

let lastWork: Promise<unknown> = Promise.resolve();

/** One body per turn of the event loop, since a message may go to a hundred aliases at once. */
function oneAtATime<T>(work: () => T): Promise<T> {
  const done = lastWork.then(() => nextTurn()).then(work);
  lastWork = done.catch(() => {});
  return done;
}

export interface SendSource {
  /** A null sender stays; the alias replaces any other. */
  envelope: MessageEnvelope;
  wire: Buffer;
  aliasAddress: string;
  /** Our own delivery report, with the null sender (RFC 5321 §4.5.5). */
  isReport: boolean;
}

/** The stored bytes with our signature on top. Bounces return to the alias: its owner gets them like any mail. */
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
