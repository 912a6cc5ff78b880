/** DKIM signatures and ARC chain (RFC 6376, RFC 8617). Looks up all keys at once; ignores fields above the limits. */
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type ArcChain,
  type ArcSet,
  arcKeyName,
  checkBeforeKey,
  checkChain,
  checkWithKey,
  headerLimits,
  type InstructionProof,
  instructionProof,
  isArcField,
  lastArcSigner,
  type RawField,
  type ReadSignature,
  rawFields,
  readArcChain,
  readSignatureField,
  type SignatureStatus,
  signedDate,
  vouchedAuthor,
} from "@kauke/mail-rfc";
import type { AuthResult } from "../../../core/message/message.ts";
import { bounds } from "../../../limits/table.ts";
import type { BodyHashes } from "../../message/message-signer.ts";
import { hasSameFrom, hasSameRecipients, type ShownAuthor } from "./author.ts";
import { type BodyHash, hashBody } from "./hash-body.ts";
import { lookUpKey, type MessageDns } from "./message-dns.ts";

export interface SignatureFound {
  result: AuthResult;
  domain: string;
  selector: string;
  algorithm: string;
  signature: string;
  comment: string;
  instruction?: InstructionProof;
}

export interface ArcFound {
  result: AuthResult;
  comment: string;
  /** Last ARC signer's domain in lower case, even if the seal is invalid. */
  sealer: string;
  /** Author with a DMARC pass by the last ARC signer, valid only if `result` is `pass`; else empty. */
  vouchedAuthor: string;
}

export interface SignedMail {
  raw: Buffer;
  shown: ShownAuthor;
  mayInstruct?: boolean;
}

export interface SignatureDeps {
  dns: Pick<MessageDns, "find">;
  bodyHashes: Pick<BodyHashes, "remember">;
  onSignature?: (found: SignatureFound) => void;
}

export interface SignaturesFound {
  dkim: Promise<readonly SignatureFound[]>;
  arc: Promise<ArcFound>;
}

const BLANK_LINE = Buffer.from("\r\n\r\n");
const SIGNATURE_CHARACTERS = 8;
const noSignature: SignatureFound = {
  result: "none",
  domain: "",
  selector: "",
  algorithm: "",
  signature: "",
  comment: "message not signed",
};
const noChain: ArcFound = { result: "none", comment: "", sealer: "", vouchedAuthor: "" };

export function checkSignatures(mail: SignedMail, deps: SignatureDeps): SignaturesFound {
  const verifier = prepare(mail, deps);
  return {
    dkim: verifier.then((it) => it.dkim()),
    arc: verifier.then((it) => it.arc()),
  };
}

async function prepare(
  { raw, shown, mayInstruct = false }: SignedMail,
  deps: SignatureDeps,
): Promise<SignatureVerifier> {
  const bodyStart = findBody(raw);
  const fields = bodyStart > headerLimits.bytesMax ? [] : rawFields(asForwarded(raw.toString("latin1", 0, bodyStart)));
  // With several From fields, a signature may cover another author than the displayed one, so none is checked.
  const isSameFrom = hasSameFrom(shown, fields);
  const dkim = (isSameFrom ? checkedSignatures(fields) : [])
    .map(readSignatureField)
    .filter((signature) => signature !== null);
  const arcFields = fields.filter(isArcField);
  const chain = arcFields.length === 0 ? null : readArcChain(checkedArcFields(arcFields));
  const message = chain !== null && "sets" in chain ? messageSignatures(chain.sets) : [];
  const keys = new Set([...dkim, ...message].map(hashKeyOf));
  const body = raw.subarray(bodyStart);
  const hashes = await hashBody(body, keys, (hash) => deps.bodyHashes.remember(raw, bodyStart, hash));
  const provesRecipients = mayInstruct && hasSameRecipients(shown, fields);
  const isSingle = shown.isSingle && isSameFrom;
  return new SignatureVerifier({ fields, dkim, message, chain, hashes, provesRecipients, isSingle }, deps);
}

/** Without a canonicalization, tries the newest signature as simple, the default, then as relaxed, which many mean. */
function messageSignatures(sets: readonly ArcSet[]): ReadSignature[] {
  const newest = sets.at(-1);
  const signature = newest === undefined ? null : readSignatureField(newest.message);
  if (signature === null) return [];
  return signature.hasForm ? [signature] : [signature, { ...signature, headerForm: "relaxed", bodyForm: "relaxed" }];
}

function hashKeyOf({ bodyForm, algorithm, limit }: ReadSignature): string {
  return `${bodyForm}:${algorithm.split("-")[1]}:${limit ?? ""}`;
}

interface Prepared {
  fields: readonly RawField[];
  dkim: readonly ReadSignature[];
  message: readonly ReadSignature[];
  chain: ArcChain | null;
  hashes: ReadonlyMap<string, BodyHash>;
  /** Find out which signatures prove that the author wrote to the people in To and Cc. */
  provesRecipients: boolean;
  isSingle: boolean;
}

class SignatureVerifier {
  readonly #mail: Prepared;
  readonly #deps: SignatureDeps;
  readonly #now = Date.now();

  constructor(mail: Prepared, deps: SignatureDeps) {
    this.#mail = mail;
    this.#deps = deps;
  }

  async dkim(): Promise<readonly SignatureFound[]> {
    if (this.#mail.dkim.length === 0) return [noSignature];
    return Promise.all(
      this.#mail.dkim.map(async (signature) => {
        const found = this.#report(signature, await this.#check(signature));
        this.#deps.onSignature?.(found);
        return found;
      }),
    );
  }

  async arc(): Promise<ArcFound> {
    const { chain } = this.#mail;
    if (chain === null) return noChain;
    if ("problem" in chain) return { ...noChain, result: "fail", comment: chain.problem };
    const { sets } = chain;
    const [message, keys] = await Promise.all([
      this.#messageStatus(),
      Promise.all(sets.map((set) => this.#keyOfSet(set))),
    ]);
    const checks = checkChain(sets, { message, keys });
    let check = checks.next();
    for (; !check.done; check = checks.next()) await nextTurn();
    const { result, reason } = check.value;
    return { result, comment: reason, sealer: lastArcSigner(sets), vouchedAuthor: this.#vouchedAuthor(sets) };
  }

  #vouchedAuthor(sets: readonly ArcSet[]): string {
    const [newest, signature] = [sets.at(-1), this.#mail.message[0]];
    if (!this.#mail.isSingle || newest === undefined || signature === undefined) return "";
    return vouchedAuthor(newest, { signature, date: signedDate(signature, this.#mail.fields), now: this.#now });
  }

  async #messageStatus(): Promise<SignatureStatus | null> {
    let status: SignatureStatus | null = null;
    for (const signature of this.#mail.message) {
      status = await this.#check(signature);
      if (status.result === "pass" || status.result === "temperror") break;
    }
    return status;
  }

  async #keyOfSet(set: ArcSet) {
    const place = arcKeyName(set);
    return place === null ? null : lookUpKey(place, this.#deps.dns);
  }

  async #check(signature: ReadSignature): Promise<SignatureStatus> {
    const hash = this.#mail.hashes.get(hashKeyOf(signature));
    const early = checkBeforeKey(signature, hash?.digest ?? "");
    if (early !== null) return early;
    const found = await lookUpKey(signature, this.#deps.dns);
    await nextTurn();
    return checkWithKey(signature, { fields: this.#mail.fields, found, now: this.#now });
  }

  /** A signature with `l=` proves nothing (RFC 6376 §8.2): `policy` (RFC 8601 §2.7.1). */
  #report(signature: ReadSignature, { result, reason }: SignatureStatus): SignatureFound {
    const hash = this.#mail.hashes.get(hashKeyOf(signature));
    const isWhole = signature.limit === null || hash === undefined || hash.hashedBytes >= hash.canonicalBytes;
    const isProof = (result === "pass" || result === "temperror") && isWhole && this.#mail.provesRecipients;
    const instruction = isProof ? instructionProof(signature, this.#mail.fields, this.#now) : null;
    return {
      ...(instruction === null ? {} : { instruction }),
      result: result === "pass" && !isWhole ? "policy" : result,
      domain: signature.domain,
      selector: signature.selector,
      algorithm: signature.algorithmText,
      signature: signature.value.slice(0, SIGNATURE_CHARACTERS),
      comment: reason,
    };
  }
}

function findBody(raw: Buffer): number {
  if (raw.indexOf("\r\n") === 0) return 2;
  const at = raw.indexOf(BLANK_LINE);
  return at < 0 ? raw.length : at + BLANK_LINE.length;
}

/** Bare LFs become spaces, as in the forwarded header, so signatures are checked on that form. */
function asForwarded(header: string): string {
  return /(?<!\r)\n/.test(header) ? header.replace(/(?<!\r)\n/g, " ") : header;
}

/** Header bytes hashed for all DKIM signatures together, because each may sign the whole header. */
const SIGNED_BYTES_MAX = 1024 * 1024;
const LONG_BLANKS = new RegExp(`(?<![ \\t\\r\\n])[ \\t\\r\\n]{${bounds.signatures.blanks + 1}}`);

function checkedSignatures(fields: readonly RawField[]): RawField[] {
  const signatures = fields.filter((field) => field.name === "dkim-signature" && isReadableSignature(field));
  return signatures.length === 0 ? [] : withinTotal(signatures.slice(0, signaturesMax(fields)));
}

/** @returns the ARC fields to check, all or none */
function checkedArcFields(arcFields: readonly RawField[]): readonly RawField[] {
  const readable = arcFields.filter(isReadableSignature);
  return readable.length <= 3 * bounds.signatures.arcSets && withinTotal(readable).length === readable.length
    ? readable
    : [];
}

function signaturesMax(fields: readonly RawField[]): number {
  const headerBytes = fields.reduce((sum, { text }) => sum + text.length, 1);
  return Math.min(bounds.signatures.signatures, Math.floor(SIGNED_BYTES_MAX / headerBytes));
}

export function isReadableSignature({ text }: RawField): boolean {
  if (text.length > bounds.signatures.signatureBytes || LONG_BLANKS.test(text)) return false;
  const tags = text.slice(text.indexOf(":") + 1).split(";");
  return tags.length <= bounds.signatures.tags && tags.every(isReadableTag);
}

function isReadableTag(tag: string): boolean {
  const equals = tag.indexOf("=");
  const name = tag.slice(0, Math.max(0, equals)).trim().toLowerCase();
  if (name === "h") return tag.split(":", bounds.signatures.signedNames + 1).length <= bounds.signatures.signedNames;
  return !["d", "s", "i"].includes(name) || tag.length - equals <= bounds.signatures.nameOctets;
}

export function withinTotal(fields: readonly RawField[]): RawField[] {
  let left = bounds.signatures.signaturesBytes;
  return fields.filter(({ text }) => {
    left -= text.length;
    return left >= 0;
  });
}
