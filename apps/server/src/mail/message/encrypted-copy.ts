/** The original, byte for byte, as an age file in a message of ours. What can't be encrypted is not sent. */
import { createHash, createHmac } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  addressesOf,
  domainOf,
  type FieldText,
  fieldTextBytes,
  firstValue,
  formatAddressField,
  formatDate,
  formatResultsField,
  type HeaderField,
  type HeaderSource,
  headerField,
  joinFields,
  type Mailbox,
  NO_FIELD,
  readDate,
  readHeader,
  replyAddress,
  resultsValue,
  toBase32,
  unknownAuthor,
  unstuff,
} from "@kauke/mail-rfc";
import type { MessageAuthentication } from "../../core/message/message.ts";
import type { OutgoingMail } from "../transport/transport.ts";
import { encryptedWebhookBody } from "../transport/webhook/webhook-body.ts";
import { CopyMemory } from "./copy-memory.ts";
import {
  type CopyParts,
  type EncryptionTarget,
  type ForwardCopy,
  type ForwardSource,
  makePlainCopy,
  resultsOf,
} from "./forward-copy.ts";
import type { Correspondent } from "./reply-book.ts";
import { type RewriteSource, type Rewritten, rewrite } from "./rewrite.ts";

/** A copy could not be encrypted: the mail waits, and is never sent unencrypted. */
export class EncryptionFailed extends Error {
  override name = "EncryptionFailed";
}

interface EncryptedCopySource extends ForwardSource {
  aliasId: string;
  replyKey: Buffer;
  encryptTo: EncryptionTarget;
}

const SLICE_BYTES = 1024 * 1024;

/** The copy for an alias: encrypted if the owner wants that, otherwise plain. */
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
    return encryptedWebhookBody({
      aliasAddress,
      receivedAt: envelope.receivedAt,
      raw,
      authentication: resultsOf(envelope),
    });
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

interface OuterMessage {
  header: Buffer;
  opening: Buffer;
  closing: Buffer;
  correspondents: readonly Correspondent[];
}

interface EncryptedSource extends RewriteSource {
  replyKey: Buffer;
}

const ENCRYPTION_PASSES_FIELD = "Kauke-Sealed";
export const ENCRYPTION_PASSES_MAX = 10;
/** Subject of a copy whose real one is encrypted (RFC 9788). */
const HIDDEN_SUBJECT = "[...]";
const UNVERIFIED = "Unverified sender";
const FILE_NAME = "message.eml.age";

/** All that readers without the key see: Date and reply addresses without names. @param rewritten plain header */
export function outerMessage(
  source: EncryptedSource,
  { header, fields: headerFields, replies }: Rewritten,
  mailHost: string,
): OuterMessage {
  const { envelope, aliasAddress } = source;
  const plain: HeaderSource = { header, fields: headerFields ?? readHeader(header).fields };
  const isVerified = envelope.authentication?.isAligned ?? true;
  const from = withoutNames(plain, "from", isVerified ? null : UNVERIFIED);
  const replyTo = withoutNames(plain, "reply-to", null);
  const stamp = stampOf(source);
  const boundary = `=_${stamp}`;
  const passes = readEncryptionPasses(source.wire, source.header.fields) + 1;
  const fields = [
    headerField("Delivered-To", [aliasAddress]),
    headerField(ENCRYPTION_PASSES_FIELD, [String(passes)]),
    authenticationResults(envelope.authentication, mailHost),
    headerField("Date", [formatDate(sentAt(source))]),
    formatAddressField("From", from.length === 0 ? [unknownAuthor("", domainOf(aliasAddress))] : from),
    formatAddressField("Reply-To", replyTo),
    headerField("To", [aliasAddress]),
    headerField("Subject", [HIDDEN_SUBJECT]),
    headerField("Message-ID", [`<${stamp}@${domainOf(aliasAddress)}>`]),
    headerField("MIME-Version", ["1.0"]),
    headerField("Content-Type", [`multipart/mixed; boundary="${boundary}"`]),
  ];
  const shown = new Set([...from, ...replyTo].map(({ address }) => address.toLowerCase()));
  const domain = domainOf(aliasAddress);
  return {
    header: fieldTextBytes(...fields),
    opening: Buffer.from(`\r\n${openingOf(boundary, aliasAddress)}`, "utf8"),
    closing: Buffer.from(`\r\n--${boundary}--\r\n`),
    correspondents: (replies?.correspondents() ?? []).filter(({ token }) => shown.has(replyAddress(token, domain))),
  };
}

function openingOf(boundary: string, aliasAddress: string): string {
  const sevenBit = headerField("Content-Transfer-Encoding", ["7bit"]);
  const textHeader = joinFields([headerField("Content-Type", ["text/plain; charset=utf-8"]), sevenBit]);
  const fileHeader = joinFields([
    headerField("Content-Type", [`application/vnd.age; name="${FILE_NAME}"`]),
    sevenBit,
    headerField("Content-Disposition", [`attachment; filename="${FILE_NAME}"`]),
  ]);
  return [
    `--${boundary}`,
    textHeader,
    `A message to ${aliasAddress}, encrypted to your key. Subject and content are in ${FILE_NAME}.`,
    `Open it on the Decrypt page, or with: age -d -i key.txt ${FILE_NAME} > message.eml`,
    "",
    `--${boundary}`,
    fileHeader,
    "",
  ].join("\r\n");
}

function withoutNames(plain: HeaderSource, field: string, name: string | null): Mailbox[] {
  return addressesOf(plain, field).mailboxes.map(({ address }) => ({ name, address }));
}

/** Authentication-Results with only the result of each method: the full field names the sender's domain and address. */
function authenticationResults(found: MessageAuthentication | undefined, mailHost: string): FieldText {
  if (found === undefined || found.results === null) return NO_FIELD;
  const methods = ["spf", "dkim", "dmarc", "arc"] as const;
  const verdicts = methods.map((method) => ({ method, result: found[method] }));
  return formatResultsField(resultsValue(mailHost, verdicts));
}

function sentAt({ wire, header, envelope }: EncryptedSource): Date {
  return readDate(firstValue(wire, header.fields, "date") ?? "") ?? envelope.receivedAt;
}

/** Stamp of a copy: differs by alias, but not by attempt, so that duplicates are recognized. */
function stampOf({ replyKey, messageId }: EncryptedSource): string {
  const mac = createHmac("sha256", replyKey).update("sealed message id\0").update(messageId).digest();
  return toBase32(mac).slice(0, 32);
}

/** Number of encrypting servers passed: without the original's `Received` fields, a loop would go undetected. */
export function readEncryptionPasses(wire: Buffer, fields: readonly HeaderField[]): number {
  const value = firstValue(wire, fields, ENCRYPTION_PASSES_FIELD.toLowerCase())?.trim() ?? "";
  return /^\d{1,3}$/.test(value) ? Number(value) : 0;
}
