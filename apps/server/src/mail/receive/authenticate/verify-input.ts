/**
 * A received message as mailauth reads it, without what costs it more than linear time. Its own verifier walks through the body byte
 * by byte in JavaScript, 10 ms for a MiB: here the body goes in as hashes made natively (docs/decisions/2026-11-21-native-body-hash.md).
 * Its own reader joins folded lines at squared cost, and it looks for addresses in From and into every Received field: here the
 * header goes in as fields that are read already, and only signatures are shown to it as such. Every verdict on signatures,
 * DKIM's and ARC's, stays the library's own.
 */
import { EventEmitter } from "node:events";
import type { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import {
  addressesOf,
  asciiDomainOf,
  countFields,
  domainOf,
  headerLimits,
  MailSyntaxError,
  readHeader,
} from "@kauke/mail-rfc";
import type { DKIMResult } from "mailauth";
import type { BodyHashes } from "../../copy/body-hashes.ts";
import { hashBody, type LibraryBodyHash } from "./hash-body.ts";
import { isReadableSignature, type LibraryField, libraryFields, withinTotal } from "./library-header.ts";
import { type TogetherVerifier, verifyTogether } from "./verify-together.ts";

/** What we use of mailauth's `DkimVerifier`, a Writable; held to this shape by the pinned version and verify-input.test.ts. */
interface LibraryVerifier extends Omit<TogetherVerifier, "bodyHashes" | "keyCache"> {
  /** Reads signatures and authors from the fields, and prepares a hash for each kind of body asked for. */
  messageHeaders(headers: LibraryHeaders): Promise<void>;
  /** What signatures are checked against. */
  headers: LibraryHeaders;
  bodyHashes: Map<string, LibraryBodyHash>;
  /** Keys of DKIM and ARC, by a query and its answer. */
  keyCache: { get(...question: unknown[]): Promise<LibraryKey> };
  /** Addresses in fields of that name, and how many fields: whom DMARC is asked about. */
  headerFrom: string[];
  fromFields: number;
  once(event: "finish", listener: () => void): void;
  end(): void;
  destroy(error: Error): void;
}

interface LibraryKey {
  /** Of an RSA key. */
  modulusLength?: number;
  /** PEM: PKCS #1 or SubjectPublicKeyInfo. */
  publicKey?: string;
}

interface LibraryHeaders {
  parsed: LibraryField[];
}

/** Signatures looked at, from the top; each may cost a pass over the body, a query and a check with a key. */
export const SIGNATURES_MAX = 10;
/** Bytes of header that signatures are checked over, all together: each may sign the whole header. */
const SIGNED_BYTES_MAX = 1024 * 1024;
/** Sets of ARC fields, of 50 allowed (RFC 8617 §4.2.1): each seal is checked over all the sets below it. */
export const ARC_SETS_MAX = 20;
/** What every verifier must take (RFC 8301 §3.2). The check of a larger key holds up the event loop for milliseconds. */
const KEY_BITS_MAX = 4096;
/**
 * DER octets of an RSA key without its modulus: exponents of 32 bits, the header of both numbers and of the key, for
 * SubjectPublicKeyInfo 24 more. With an exponent as long as its modulus one check of a key of 3,072 bits takes 8 ms instead of 0.1.
 */
const KEY_REST_MAX = 15;
const KEY_INFO_OCTETS = 24;
export interface ReceivedMessage {
  /** Plain form. */
  raw: Buffer;
  envelopeFrom: string;
  /** When it was read before. */
  shown?: ShownAuthor;
}

export interface ShownAuthor {
  /** The author who will be shown, of all there are; empty when nobody is. */
  address: string;
  /** Of the address, in A-labels. */
  domain: string;
  fromFields: number;
  /**
   * Whether every program reads this author first: at most one From, with no text that RFC 5322 does not allow. Any other From
   * proves nothing, since a mail program may show another address of that field than we do.
   */
  isPlain: boolean;
}

/** In A-labels already. */
const PLAIN_DOMAIN = /^[a-z][a-z0-9-]*(?:\.[a-z][a-z0-9-]*)+$/;
const BLANK_LINE = Buffer.from("\r\n\r\n");

/**
 * @param mail plain form; the envelope's sender, who is shown where no From can be read
 * @param bodyHashes is told what signing would otherwise hash again
 * @param onSignature told of each DKIM signature as soon as it is checked
 * @returns input for `authenticate` and `dkimVerify` of mailauth, which take it for a stream
 */
export function verifyInput(
  mail: ReceivedMessage,
  bodyHashes: Pick<BodyHashes, "remember">,
  onSignature: (result: DKIMResult) => void = () => {},
): Readable {
  const pipe = (verifier: LibraryVerifier) => {
    feed(mail, { verifier, known: bodyHashes, onSignature }).catch((thrown: unknown) =>
      verifier.destroy(thrown as Error),
    );
    return verifier;
  };
  return Object.assign(new EventEmitter(), { pipe }) as unknown as Readable;
}

interface Feeding {
  verifier: LibraryVerifier;
  known: Pick<BodyHashes, "remember">;
  onSignature: (result: DKIMResult) => void;
}

async function feed(mail: ReceivedMessage, { verifier, known, onSignature }: Feeding): Promise<void> {
  const { raw, shown = readShownAuthor(mail) } = mail;
  const bodyStart = findBody(raw);
  const fields = bodyStart > headerLimits.bytesMax ? [] : libraryFields(asForwarded(raw.subarray(0, bodyStart)));
  boundKeys(verifier);
  await verifier.messageHeaders({ parsed: shownSignatures(fields, hasSameFrom(shown, fields)) });
  // DMARC is asked about the author who will be shown, whatever the library would make of the field.
  verifier.headerFrom = shown.address === "" ? [] : [shown.address];
  verifier.fromFields = verifier.headerFrom.length;
  verifier.headers = { parsed: fields };
  // Once signatures are checked, the library would read the trace fields, which nobody asks for.
  verifier.once("finish", () => {
    verifier.headers = { parsed: [] };
  });
  const body = raw.subarray(bodyStart);
  const hashes = await hashBody(body, verifier.bodyHashes.keys(), (hash) => known.remember(raw, bodyStart, hash));
  for (const [key, hash] of hashes) verifier.bodyHashes.set(key, hash);
  verifyTogether(verifier as TogetherVerifier, onSignature);
  verifier.end();
}

/** No DKIM signatures where the author who is shown may not be the one they tell about; all or none of the ARC sets. */
function shownSignatures(fields: readonly LibraryField[], isSameFrom: boolean): LibraryField[] {
  const readable = fields.filter((field) => isSignature(field) && isReadableSignature(field));
  const dkim = readable.filter(({ key }) => key === "dkim-signature").slice(0, isSameFrom ? signaturesMax(fields) : 0);
  const arc = readable.filter(({ key }) => key !== "dkim-signature");
  const isArcReadable = arc.length <= 3 * ARC_SETS_MAX && withinTotal(arc).length === arc.length;
  return [...withinTotal(dkim), ...(isArcReadable ? arc : [])];
}

function signaturesMax(fields: readonly LibraryField[]): number {
  const headerBytes = fields.reduce((sum, { line }) => sum + line.length, 1);
  return Math.min(SIGNATURES_MAX, Math.floor(SIGNED_BYTES_MAX / headerBytes));
}

const signatureKeys = new Set(["dkim-signature", "arc-seal", "arc-message-signature", "arc-authentication-results"]);
const isSignature = ({ key }: LibraryField): boolean => signatureKeys.has(key);

/** Each check of a signature has a turn of the event loop of its own; keys that would take too long count as invalid. */
function boundKeys({ keyCache }: LibraryVerifier): void {
  const get = keyCache.get.bind(keyCache);
  keyCache.get = (...question) => {
    const key = boundKey(get(...question));
    // The library asks for the keys of all seals of an ARC chain at once and stops reading at the first that fails: a failed
    // key that nobody waits for would end the process as an unhandled rejection.
    key.catch(() => {});
    return key;
  };
}

async function boundKey(asked: ReturnType<LibraryVerifier["keyCache"]["get"]>) {
  const key = await asked;
  if (!isQuickKey(key)) throw Object.assign(new Error("key too long"), { code: "EINVALIDVAL" });
  await setImmediate();
  return key;
}

function isQuickKey({ modulusLength, publicKey = "" }: LibraryKey): boolean {
  if (modulusLength === undefined) return true;
  const [, label = "", base64 = ""] = publicKey.split("-----");
  const restMax = KEY_REST_MAX + (label === "BEGIN RSA PUBLIC KEY" ? 0 : KEY_INFO_OCTETS);
  return modulusLength <= KEY_BITS_MAX && Buffer.from(base64, "base64").length - modulusLength / 8 <= restMax;
}

/** The library takes a bare LF for the end of a line, and we do not: an empty line or a From may hide from one of us there. */
function findBody(raw: Buffer): number {
  if (raw.indexOf("\r\n") === 0) return 2;
  const at = raw.indexOf(BLANK_LINE);
  return at < 0 ? raw.length : at + BLANK_LINE.length;
}

/** A bare LF is forwarded as a space, and so it is judged. */
function asForwarded(header: Buffer): Buffer {
  const text = header.toString("latin1");
  const bareLineFeed = /(?<!\r)\n/g;
  return bareLineFeed.test(text) ? Buffer.from(text.replace(bareLineFeed, " "), "latin1") : header;
}

/** Whether a signature tells about the author who is shown: with a second From, or one only the library sees, it may have signed the other. */
function hasSameFrom({ fromFields }: ShownAuthor, libraryView: readonly LibraryField[]): boolean {
  return fromFields <= 1 && libraryView.filter(({ key }) => key === "from").length === fromFields;
}

/** Of a header beyond the limits, which `screen` refuses, nobody is read, and no signature tells about its author. */
export function readShownAuthor({ raw, envelopeFrom }: ReceivedMessage): ShownAuthor {
  try {
    const { fields } = readHeader(raw);
    const { mailboxes, looseCount, isCut } = addressesOf({ header: raw, fields }, "from");
    const address = mailboxes[0]?.address ?? envelopeFrom;
    const fromFields = countFields(fields, "from");
    const isPlain = fromFields <= 1 && looseCount === 0 && !isCut;
    return { address, domain: authorDomain(address), fromFields, isPlain };
  } catch (thrown) {
    if (!(thrown instanceof MailSyntaxError)) throw thrown;
    const domain = authorDomain(envelopeFrom);
    return { address: envelopeFrom, domain, fromFields: Number.POSITIVE_INFINITY, isPlain: false };
  }
}

function authorDomain(address = ""): string {
  const domain = domainOf(address);
  return PLAIN_DOMAIN.test(domain) ? domain : asciiDomainOf(address);
}
