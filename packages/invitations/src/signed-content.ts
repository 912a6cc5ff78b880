/** The content of CMS SignedData (RFC 5652 §5.1, RFC 8551 §3.5.2), parsed from BER; the signature is not verified. */

import { costNs, type ParseBudget } from "@kauke/mail-rfc";

interface Element {
  tag: number;
  /** Start of a BER element; one of indefinite length has its own end marker, so its `end` is its parent's. */
  start: number;
  end: number;
  isIndefinite: boolean;
}

const SEQUENCE = 0x30;
const SET = 0x31;
const OBJECT_ID = 0x06;
const INTEGER = 0x02;
const OCTETS = 0x04;
const SEGMENTED_OCTETS = 0x24;
const EXPLICIT_0 = 0xa0;
/** Tag of the end of contents (X.690 §8.1.5). */
const END_OF_CONTENT = 0x00;
const SIGNED_DATA = Buffer.from("2a864886f70d010702", "hex");
const DEPTH_MAX = 8;
export const SIGNED_DATA_HEAD_BYTES = 32;

/** @param der at least the first `SIGNED_DATA_HEAD_BYTES` */
export function isSignedData(der: Buffer): boolean {
  return typeOfContent(der, Number.MAX_SAFE_INTEGER) !== null;
}

/** "unreadable" when malformed; `null` for anything else, such as encrypted content. @throws ParseLimitError */
export function readSignedContent(der: Buffer, budget: ParseBudget): Buffer | "unreadable" | null {
  const type = typeOfContent(der, der.length);
  if (type === null) return null;
  const octets = findOctets(der, type.end, type.outerEnd);
  if (octets === null) return "unreadable";
  if (octets === "detached") return null;
  const pieces = new OctetSegments(der, budget);
  if (pieces.collect(octets, 0) === null) return "unreadable";
  budget.spend(der.length * costNs.searchedByte);
  return Buffer.concat(pieces.found);
}

/** Type and end of the content; `null` for another content type. @param end of the enclosing data */
function typeOfContent(der: Buffer, end: number): { end: number; outerEnd: number } | null {
  const outer = elementAt(der, 0, end);
  if (outer?.tag !== SEQUENCE) return null;
  const type = elementAt(der, outer.start, outer.end);
  if (type?.tag !== OBJECT_ID || !der.subarray(type.start, type.end).equals(SIGNED_DATA)) return null;
  return { end: type.end, outerEnd: outer.end };
}

/** Finds the octets of encapContentInfo (RFC 5652 §5.1, §5.2). */
function findOctets(der: Buffer, start: number, end: number): Element | "detached" | null {
  const signedData = inside(der, elementAt(der, start, end), EXPLICIT_0);
  const version = signedData?.tag === SEQUENCE ? elementAt(der, signedData.start, signedData.end) : null;
  if (!signedData || version?.tag !== INTEGER) return null;
  const digests = elementAt(der, version.end, signedData.end);
  if (digests?.tag !== SET || digests.isIndefinite) return null;
  const content = elementAt(der, digests.end, signedData.end);
  const type = content?.tag === SEQUENCE ? elementAt(der, content.start, content.end) : null;
  if (!content || type?.tag !== OBJECT_ID) return null;
  const explicit = elementAt(der, type.end, content.end);
  if (explicit === null || explicit.tag === END_OF_CONTENT) return "detached";
  return inside(der, explicit, EXPLICIT_0);
}

function inside(der: Buffer, element: Element | null, tag: number): Element | null {
  return element?.tag === tag ? elementAt(der, element.start, element.end) : null;
}

class OctetSegments {
  readonly found: Buffer[] = [];
  readonly #der: Buffer;
  readonly #budget: ParseBudget;

  constructor(der: Buffer, budget: ParseBudget) {
    this.#der = der;
    this.#budget = budget;
  }

  /** The offset after the element; `null` when it is malformed. @throws ParseLimitError */
  collect(element: Element, depth: number): number | null {
    this.#budget.spend(costNs.berElement);
    if (element.tag === OCTETS && !element.isIndefinite) {
      this.found.push(this.#der.subarray(element.start, element.end));
      return element.end;
    }
    if (element.tag !== SEGMENTED_OCTETS || depth === DEPTH_MAX) return null;
    let at = element.start;
    while (at < element.end) {
      const piece = elementAt(this.#der, at, element.end);
      if (element.isIndefinite && piece?.tag === END_OF_CONTENT) return at + 2;
      const next = piece === null ? null : this.collect(piece, depth + 1);
      if (next === null) return null;
      at = next;
    }
    return element.isIndefinite ? null : at;
  }
}

function elementAt(der: Buffer, at: number, end: number): Element | null {
  const tag = der[at];
  const first = der[at + 1];
  if (tag === undefined || first === undefined || at + 2 > end) return null;
  if (first === 0x80) return { tag, start: at + 2, end, isIndefinite: true };
  const count = first < 0x80 ? 0 : first & 0x7f;
  if (count > 6 || at + 2 + count > end) return null;
  const start = at + 2 + count;
  const length = count === 0 ? first : der.readUIntBE(at + 2, count);
  return start + length > end ? null : { tag, start, end: start + length, isIndefinite: false };
}
