/**
 * Prepares a received message for mailauth's verifier without the steps that cost it more than linear time. Its
 * verifier walks through the body byte by byte in JavaScript, 10 ms for a MiB: we pass native body hashes instead
 * (docs/decisions/2026-11-21-native-body-hash.md). Its header parser joins folded lines at quadratic cost and searches
 * From and every Received field for addresses: we pass parsed fields, of which it first gets only the signatures. All
 * DKIM and ARC verdicts stay the library's own.
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

/**
 * Members of mailauth's `DkimVerifier` (a Writable) used here. Pinned version and verify-input.test.ts guard the shape.
 */
interface LibraryVerifier extends Omit<TogetherVerifier, "bodyHashes" | "keyCache"> {
  /** Reads signatures and authors from the fields, and prepares one body hash per kind that the signatures ask for. */
  messageHeaders(headers: LibraryHeaders): Promise<void>;
  /** Header fields that signatures are verified against. */
  headers: LibraryHeaders;
  bodyHashes: Map<string, LibraryBodyHash>;
  /** Public keys of DKIM and ARC, cached by DNS query. */
  keyCache: { get(...question: unknown[]): Promise<LibraryKey> };
  /** Author addresses that DMARC is evaluated for, and the number of From fields. */
  headerFrom: string[];
  fromFields: number;
  once(event: "finish", listener: () => void): void;
  end(): void;
  destroy(error: Error): void;
}

interface LibraryKey {
  /** Bits of an RSA key's modulus; absent for other keys. */
  modulusLength?: number;
  /** Public key in PEM: PKCS #1 or SubjectPublicKeyInfo. */
  publicKey?: string;
}

interface LibraryHeaders {
  parsed: LibraryField[];
}

/** Maximum DKIM signatures checked, from the top; each may cost a pass over the body, a query and a key operation. */
export const SIGNATURES_MAX = 10;
/** Maximum total header bytes hashed for DKIM signatures: each may sign the whole header. */
const SIGNED_BYTES_MAX = 1024 * 1024;
/** Maximum ARC sets checked; RFC 8617 §4.2.1 allows 50. Each seal covers all the sets below it. */
export const ARC_SETS_MAX = 20;
/** Maximum bits of an RSA key, all that RFC 8301 §3.2 asks verifiers to support. A larger one takes milliseconds. */
const KEY_BITS_MAX = 4096;
/**
 * Maximum DER octets of an RSA key besides its modulus: an exponent of 32 bits and the headers of both numbers and the
 * key; SubjectPublicKeyInfo needs 24 more. With an exponent as long as the modulus, one check with a key of 3,072 bits
 * takes 8 ms instead of 0.1.
 */
const KEY_REST_MAX = 15;
const KEY_INFO_OCTETS = 24;
export interface ReceivedMessage {
  /** Message without dot-stuffing. */
  raw: Buffer;
  envelopeFrom: string;
  /** The author that mail programs display, if the From field was already parsed. */
  shown?: ShownAuthor;
}

export interface ShownAuthor {
  /** Address of the author that mail programs display, first of several; empty when there is none. */
  address: string;
  /** Domain of the address, in A-labels. */
  domain: string;
  fromFields: number;
  /**
   * Whether every mail program displays this author: at most one From field, which contains nothing that RFC 5322 does
   * not allow. Any other From proves nothing, since a mail program may display another of its addresses.
   */
  isPlain: boolean;
}

/** Matches a domain that needs no conversion to A-labels. */
const PLAIN_DOMAIN = /^[a-z][a-z0-9-]*(?:\.[a-z][a-z0-9-]*)+$/;
const BLANK_LINE = Buffer.from("\r\n\r\n");

/**
 * @param mail message without dot-stuffing; its envelope sender counts as the author if no From can be parsed
 * @param bodyHashes receives the body hash that signing would otherwise compute again
 * @param onSignature called with each DKIM signature as soon as it is checked
 * @returns input for `authenticate` and `dkimVerify` of mailauth, which treat it as a stream
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
  // DMARC is evaluated for the displayed author, whatever the library would read from the field.
  verifier.headerFrom = shown.address === "" ? [] : [shown.address];
  verifier.fromFields = verifier.headerFrom.length;
  verifier.headers = { parsed: fields };
  // Hides the fields once the signatures are verified: the library would next parse trace fields, which nobody uses.
  verifier.once("finish", () => {
    verifier.headers = { parsed: [] };
  });
  const body = raw.subarray(bodyStart);
  const hashes = await hashBody(body, verifier.bodyHashes.keys(), (hash) => known.remember(raw, bodyStart, hash));
  for (const [key, hash] of hashes) verifier.bodyHashes.set(key, hash);
  verifyTogether(verifier as TogetherVerifier, onSignature);
  verifier.end();
}

/**
 * Signature fields to check. Leaves out all DKIM signatures when they may be for an author other than the displayed
 * one; of ARC sets it returns all or none.
 */
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

/** Yields to the event loop before each signature check, and treats keys that would take too long as invalid. */
function boundKeys({ keyCache }: LibraryVerifier): void {
  const get = keyCache.get.bind(keyCache);
  keyCache.get = (...question) => {
    const key = boundKey(get(...question));
    // The library requests the keys of all seals of an ARC chain at once and stops reading at the first that fails:
    // without this handler another failed key would end the process as an unhandled rejection.
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

/** Only CRLF ends a line. The library also accepts a bare LF, which may hide an empty line or a From from one of us. */
function findBody(raw: Buffer): number {
  if (raw.indexOf("\r\n") === 0) return 2;
  const at = raw.indexOf(BLANK_LINE);
  return at < 0 ? raw.length : at + BLANK_LINE.length;
}

/** Header fields are forwarded with a space in place of a bare LF, so signatures are checked on that form. */
function asForwarded(header: Buffer): Buffer {
  const text = header.toString("latin1");
  const bareLineFeed = /(?<!\r)\n/g;
  return bareLineFeed.test(text) ? Buffer.from(text.replace(bareLineFeed, " "), "latin1") : header;
}

/**
 * Whether signatures concern the displayed author: a second From, or one only the library sees, may be the signed one.
 */
function hasSameFrom({ fromFields }: ShownAuthor, libraryView: readonly LibraryField[]): boolean {
  return fromFields <= 1 && libraryView.filter(({ key }) => key === "from").length === fromFields;
}

/** A header beyond the limits, which `screen` rejects, has no displayed author, and its signatures are not checked. */
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
