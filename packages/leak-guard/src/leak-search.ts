/** Searches a piece of a message and everything inside it up to the limits, by its bytes, not its declared type. */

import { type PartKind } from "@kauke/mail-rfc";
import { findInBytes, findInText } from "./find-mailboxes.ts";
import type { Inner, LeakFinding } from "./inner.ts";
import { type Boundary, type MailboxPattern, shortestOf } from "./mailbox-pattern.ts";
import { looksLikeMessage, type MimeLeaf, mimeLeaves, splitHeader } from "./mime-leaves.ts";
import { decodeText, findUuencoded, isText } from "./part-text.ts";
import { findBase64, findHex } from "./unpack/encoded-runs.ts";
import { inflate } from "./unpack/inflate.ts";
import { isContainer, unpack, viewsIn } from "./unpack/unpack.ts";
import { type UnpackBudget, UnsearchableError } from "./unpack/unpack-limits.ts";

export interface Piece extends Inner {
  kind: PartKind;
  part: string;
  charset: string;
  depth: number;
  isMessage: boolean;
  boundary: Boundary;
  hasLines: boolean;
}

const blank = { part: "", charset: "", depth: 0, isMessage: false, boundary: "whole", hasLines: true } as const;

export function pieceOf(known: Partial<Piece> & Pick<Piece, "bytes" | "kind">): Piece {
  return { ...blank, ...known };
}

/** Bytes of a window of an inflated stream that is too long for memory; windows overlap. */
const WINDOW_BYTES = 4 * 1024 * 1024;
const WINDOW_OVERLAP = 16_384;

export class LeakSearch {
  readonly #patterns: readonly MailboxPattern[];
  readonly #budget: UnpackBudget;
  readonly #octetsMin: number;

  constructor(patterns: readonly MailboxPattern[], budget: UnpackBudget) {
    this.#patterns = patterns;
    this.#budget = budget;
    this.#octetsMin = shortestOf(patterns);
  }

  /** First finding; a piece that can't be searched completely is one too. */
  async first(pieces: Iterable<Piece>): Promise<LeakFinding | null> {
    for (const piece of pieces) {
      const finding = await this.#search(piece).catch((thrown) => unsearchable(piece, thrown));
      if (finding !== null) return finding;
    }
    return null;
  }

  async #search(piece: Piece): Promise<LeakFinding | null> {
    this.#budget.checkDepth(piece.depth);
    if (piece.packing !== undefined) return this.#searchPacked(piece, piece.packing);
    if (piece.isView) return this.#bytes(piece);
    if (piece.isMessage) return this.first(leavesOf(piece));
    if (!isText(piece.bytes)) return this.#data(piece);
    return (await this.#text(piece)) ?? (isContainer(piece.bytes) ? this.#data(piece) : null);
  }

  /** @throws UnsearchableError `too_many_members` */
  *#insideText(piece: Piece): Generator<Piece> {
    const { bytes, kind } = piece;
    if (kind !== "header" && looksLikeMessage(bytes)) yield { ...piece, isMessage: true };
    yield* inside(piece, viewsIn(bytes, piece));
    const text = bytes.toString("latin1");
    yield* inside({ ...piece, kind: armorOf(text) ?? kind }, findBase64(text, this.#octetsMin));
    yield* inside(piece, findHex(text, this.#octetsMin));
    for (const file of findUuencoded(text)) {
      this.#budget.countMember();
      yield* inside(piece, [{ bytes: file }]);
    }
  }

  async #text(piece: Piece): Promise<LeakFinding | null> {
    const { bytes, part, kind, charset, boundary, hasLines } = piece;
    const leak = findInText(decodeText(bytes, charset), this.#patterns, boundary);
    if (leak !== null) {
      const { destination, line } = leak;
      return { leak: "address", destination, place: { part, kind, line: hasLines ? line : null } };
    }
    return this.#bytes(piece) ?? this.first(this.#insideText(piece));
  }

  async #data(piece: Piece): Promise<LeakFinding | null> {
    return this.#bytes(piece) ?? this.first(inside(piece, unpack(piece.bytes, this.#budget)));
  }

  #bytes({ bytes, part, kind, boundary }: Piece): LeakFinding | null {
    const destination = findInBytes(bytes, this.#patterns, boundary);
    return destination === null ? null : { leak: "address", destination, place: { part, kind, line: null } };
  }

  /** Inflates a piece: whole if it fits into memory, so that containers in it can be unpacked, otherwise in windows. */
  async #searchPacked(piece: Piece, packing: NonNullable<Inner["packing"]>): Promise<LeakFinding | null> {
    const { heldBytesMax } = this.#budget.limits;
    let chunks: Buffer[] = [];
    let held = 0;
    let isLong = false;
    for await (const chunk of inflate(piece.bytes, packing, this.#budget)) {
      chunks.push(chunk);
      held += chunk.length;
      if (held <= (isLong ? WINDOW_BYTES : heldBytesMax)) continue;
      const bytes = Buffer.concat(chunks);
      if (!isLong && isContainer(bytes)) throw new UnsearchableError("unpacks_too_far");
      isLong = true;
      const finding = await this.#search(unpacked(piece, bytes));
      if (finding !== null) return finding;
      chunks = [Buffer.from(bytes.subarray(-WINDOW_OVERLAP))];
      held = WINDOW_OVERLAP;
    }
    return held === 0 ? null : this.#search(unpacked(piece, Buffer.concat(chunks)));
  }
}

const unpacked = (piece: Piece, bytes: Buffer): Piece => ({ ...piece, bytes, packing: undefined });

function unsearchable({ part, kind }: Piece, thrown: unknown): LeakFinding {
  if (!(thrown instanceof UnsearchableError)) throw thrown;
  return { leak: thrown.reason, place: { part, kind, line: null } };
}

function* leavesOf({ bytes, part, depth }: Piece): Generator<Piece> {
  for (const leaf of mimeLeaves(bytes, part)) {
    if (leaf.kind === "header") yield* headerPieces(leaf, depth + 1);
    else {
      const boundary = leaf.kind === "calendar" ? "within" : "whole";
      yield pieceOf({ ...leaf, depth: depth + 1, boundary });
    }
  }
}

function* headerPieces(leaf: MimeLeaf, depth: number): Generator<Piece> {
  const { people, identifiers } = splitHeader(leaf);
  const piece = { part: leaf.part, kind: leaf.kind, depth, hasLines: false };
  yield pieceOf({ ...piece, bytes: Buffer.from(people) });
  yield pieceOf({ ...piece, bytes: Buffer.from(identifiers), boundary: "within" });
}

function armorOf(text: string): PartKind | null {
  if (text.includes("-----BEGIN PGP ")) return "openpgp";
  return /-----BEGIN (?:CERTIFICATE|PKCS7|CMS)-----/.test(text) ? "smime" : null;
}

function* inside(piece: Piece, inners: Iterable<Inner>): Generator<Piece> {
  for (const inner of inners) {
    const { part, kind, depth } = piece;
    yield pieceOf({ part, kind, ...inner, depth: depth + 1, hasLines: false });
  }
}
