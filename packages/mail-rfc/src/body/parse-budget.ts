/**
 * What the parts of one message may cost whoever reads them. The same budget goes into every nested read: of parts within parts,
 * of attached messages, of decoded and of signed content. So the sum is bounded, whatever the nesting and whatever the shape.
 * Costs are nanoseconds of processor time, estimated for the slowest input known (linear-cost.test.ts measures whole messages).
 */

/** Multiparts and messages within each other. */
export const PART_DEPTH_MAX = 20;
/** Parts of one message, at all depths together. */
export const PARTS_MAX = 1000;
/** Reading 25 MiB through four levels of parts and decoding it all from base64 is within it. */
const COST_MAX_NS = 80_000_000;

export const costNs = {
  part: 5000,
  /** A byte that is searched natively for eight bytes or more. */
  searchedByte: 0.5,
  /** A byte that is searched for fewer bytes than eight. */
  shortSearchedByte: 1.8,
  /** Wherever a boundary stands, and where it begins a line. */
  foundBoundary: 200,
  foundLine: 600,
  headerByte: 5,
  headerLine: 300,
  /** A character of Content-Type or Content-Disposition. */
  parameterCharacter: 100,
  encodedWord: 5000,
  base64Byte: 1.5,
  quotedPrintableByte: 12,
  berElement: 200,
  calendarByte: 20,
  calendarLine: 2000,
  /** A value of a calendar property or parameter. If it may be an address, it costs `calendarAddress`, and more for each character. */
  calendarValue: 400,
  calendarAddress: 2000,
  calendarAddressCharacter: 400,
  /** A byte of HTML that is decoded, searched for links to parts, and written as base64. */
  htmlByte: 20,
  htmlLink: 400,
} as const;

/** Thrown when a message has more, or deeper, or dearer parts than are read. */
export class ParseLimitError extends Error {}

export class ParseBudget {
  #parts = PARTS_MAX;
  #leftNs: number;

  constructor(costMaxNs = COST_MAX_NS) {
    this.#leftNs = costMaxNs;
  }

  /** @throws ParseLimitError when nothing is left */
  spend(ns: number): void {
    this.#leftNs -= ns;
    if (this.#leftNs < 0) throw new ParseLimitError();
  }

  /** @param depth of the part; the message itself has 0 @throws ParseLimitError */
  countPart(depth: number): void {
    this.#parts -= 1;
    if (this.#parts < 0 || depth > PART_DEPTH_MAX) throw new ParseLimitError();
    this.spend(costNs.part);
  }

  /** @param text of Content-Type, Content-Disposition or the like @throws ParseLimitError */
  spendOnParameters(text: string): void {
    const characters = text.length * (text.includes("(") ? 2 : 1);
    const words = text.includes("=?") ? text.split("=?").length - 1 : 0;
    this.spend(characters * costNs.parameterCharacter + words * costNs.encodedWord);
  }
}
