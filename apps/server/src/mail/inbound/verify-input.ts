/**
 * A received message as mailauth reads it, with the bytes of the body kept out of it: its own verifier walks through them one by
 * one in JavaScript, 10 ms for a MiB. Here the header goes in whole and the body as hashes made natively, so every verdict on
 * signatures, DKIM's and ARC's, stays the library's own (docs/decisions/2026-11-21-native-body-hash.md).
 */
import { createHash } from "node:crypto";
import { EventEmitter } from "node:events";
import type { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { domainToASCII } from "node:url";
import { addressesOf, canonicalBody, countFields, type DkimCanonicalization, readHeader } from "@kauke/mail-rfc";
import type { BodyHashes } from "../body-hashes.ts";

/** What we use of mailauth's `DkimVerifier`, a Writable; held to this shape by the pinned version and verify-input.test.ts. */
interface LibraryVerifier {
  /** Takes the header block, blank line included, and prepares a hash for each kind of body asked for. */
  emitHeaders(header: Buffer): Promise<void>;
  signatureHeaders: { type: string; bodyHashKey?: string; fallbackBodyHashKey?: string }[];
  /** Keys read `relaxed:sha256:` or, with `l=`, `relaxed:sha256:1000`. */
  bodyHashes: Map<string, LibraryBodyHash>;
  /** Addresses in fields of that name, and how many fields: whom DMARC is asked about. */
  headerFrom: string[];
  fromFields: number;
  end(): void;
  destroy(error: Error): void;
}

/** What is read of a body hash after the last byte. */
interface LibraryBodyHash {
  digest(encoding: "base64"): string;
  getMimeStructureStart(): undefined;
  canonicalizedLength: number;
  bodyHashedBytes: number;
}

/** Signatures looked at, from the top; each may cost a pass over the body, a query and a check with a key. */
export const SIGNATURES_MAX = 10;
/** Work between two turns of the event loop. */
const TURN_BYTES = 1024 * 1024;

const BLANK_LINE = Buffer.from("\r\n\r\n");

/**
 * @param mail plain form; the envelope's sender, who is shown where no From can be read
 * @param bodyHashes is told what signing would otherwise hash again
 * @returns input for `authenticate` of mailauth, which takes it for a stream
 */
export function verifyInput(
  mail: { raw: Buffer; envelopeFrom: string },
  bodyHashes: Pick<BodyHashes, "remember">,
): Readable {
  const pipe = (verifier: LibraryVerifier) => {
    feed(mail, verifier, bodyHashes).catch((thrown: unknown) => verifier.destroy(thrown as Error));
    return verifier;
  };
  return Object.assign(new EventEmitter(), { pipe }) as unknown as Readable;
}

async function feed(
  { raw, envelopeFrom }: { raw: Buffer; envelopeFrom: string },
  verifier: LibraryVerifier,
  known: Pick<BodyHashes, "remember">,
): Promise<void> {
  const bodyStart = findBody(raw);
  await verifier.emitHeaders(asForwarded(raw.subarray(0, bodyStart)));
  const isSameFrom = judgeShownAuthor(raw, envelopeFrom, verifier);
  const dkim = isSameFrom ? verifier.signatureHeaders.filter(({ type }) => type === "DKIM") : [];
  const arc = verifier.signatureHeaders.filter(({ type }) => type !== "DKIM");
  verifier.signatureHeaders = [...dkim.slice(0, SIGNATURES_MAX), ...arc];
  const wanted = new Set(verifier.signatureHeaders.flatMap((it) => [it.bodyHashKey, it.fallbackBodyHashKey]));
  const body = raw.subarray(bodyStart);
  for (const key of [...verifier.bodyHashes.keys()]) {
    if (!wanted.has(key)) verifier.bodyHashes.delete(key);
    else verifier.bodyHashes.set(key, await hashBody(body, key, (hash) => known.remember(raw, bodyStart, hash)));
  }
  verifier.end();
}

/** @param noteSimple told the SHA-256 of a whole body that is canonical as it lies */
async function hashBody(body: Buffer, key: string, noteSimple: (hash: Buffer) => void): Promise<LibraryBodyHash> {
  const [canonicalization, algorithm = "", limitText = ""] = key.split(":");
  const limit = readLimit(limitText);
  const hash = createHash(algorithm);
  const pieces = canonicalBody(body, canonicalization as DkimCanonicalization);
  let canonicalizedLength = 0;
  let bodyHashedBytes = 0;
  let untilTurn = TURN_BYTES;
  let next = pieces.next();
  for (; !next.done; next = pieces.next()) {
    const piece = next.value;
    const taken = Math.min(piece.length, limit - bodyHashedBytes);
    if (taken > 0) hash.update(taken === piece.length ? piece : piece.subarray(0, taken));
    bodyHashedBytes += taken;
    canonicalizedLength += piece.length;
    untilTurn -= piece.length;
    if (untilTurn < 0) {
      untilTurn = TURN_BYTES;
      await setImmediate();
    }
  }
  const digest = hash.digest();
  const isWhole = bodyHashedBytes === canonicalizedLength && canonicalizedLength > 0;
  if (next.value && isWhole && algorithm === "sha256") noteSimple(digest);
  return {
    digest: () => digest.toString("base64"),
    getMimeStructureStart: () => undefined,
    canonicalizedLength,
    bodyHashedBytes,
  };
}

/** What is no number of bytes limits nothing, as in the library. */
function readLimit(text: string): number {
  return text === "" || !(Number(text) >= 0) ? Number.POSITIVE_INFINITY : Math.floor(Number(text));
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

/**
 * DMARC is asked about the author who will be shown, however many there are and whatever the library makes of the field.
 * @returns whether a signature tells about that author: with a second From, or one only the library sees, it may have signed the other
 */
function judgeShownAuthor(raw: Buffer, envelopeFrom: string, verifier: LibraryVerifier): boolean {
  const { fields } = readHeader(raw);
  const fromFields = countFields(fields, "from");
  const isSameFrom = fromFields <= 1 && verifier.fromFields === fromFields;
  const author = addressesOf({ header: raw, fields }, "from").mailboxes[0]?.address ?? envelopeFrom;
  const isAgreed = verifier.headerFrom.length === 1 && domainOf(verifier.headerFrom[0]) === domainOf(author);
  if (!isSameFrom || !isAgreed) {
    verifier.headerFrom = author === "" ? [] : [author];
    verifier.fromFields = verifier.headerFrom.length;
  }
  return isSameFrom;
}

function domainOf(address = ""): string {
  const domain = address.slice(address.lastIndexOf("@") + 1);
  return domainToASCII(domain) || domain.toLowerCase();
}
