/**
 * Bounds the cost of reading the parts of one message, whatever the nesting: every nested read gets the same budget.
 * Nanoseconds are estimates for the slowest known input (whole-message-cost.test.ts).
 */

export const PART_DEPTH_MAX = 20;
export const PARTS_MAX = 1000;
/** Maximum estimated nanoseconds: three levels of delimiters in 25 MiB, and all of it decoded from base64. */
const COST_MAX_NS = 80_000_000;

export const costNs = {
  part: 5000,
  /** Cost of one byte searched natively for a pattern of eight bytes or more. */
  searchedByte: 0.5,
  /** Cost of one byte searched for a pattern shorter than eight bytes. */
  shortSearchedByte: 1.8,
  /** Cost of a found boundary; `foundLine` is added when it begins a line. */
  foundBoundary: 200,
  foundLine: 600,
  headerByte: 5,
  headerLine: 300,
  parameterCharacter: 100,
  encodedWord: 5000,
  base64Byte: 1.5,
  quotedPrintableByte: 12,
  berElement: 200,
  calendarByte: 20,
  calendarLine: 2000,
  /** Cost of a calendar value; an address adds `calendarAddress` and `calendarAddressCharacter`. */
  calendarValue: 400,
  calendarAddress: 2000,
  calendarAddressCharacter: 400,
  /** Cost of a byte of HTML, which is decoded, searched for links, and written as base64. */
  htmlByte: 20,
  htmlLink: 400,
} as const;

/** Thrown when the parts of a message exceed the limits on number, depth or cost. */
export class ParseLimitError extends Error {}

export class ParseBudget {
  #parts = PARTS_MAX;
  #leftNs: number;

  constructor(costMaxNs = COST_MAX_NS) {
    this.#leftNs = costMaxNs;
  }

  spend(ns: number): void {
    this.#leftNs -= ns;
    if (this.#leftNs < 0) throw new ParseLimitError();
  }

  /** @throws ParseLimitError above PARTS_MAX or PART_DEPTH_MAX */
  countPart(depth: number): void {
    this.#parts -= 1;
    if (this.#parts < 0 || depth > PART_DEPTH_MAX) throw new ParseLimitError();
    this.spend(costNs.part);
  }

  /** @param text value of Content-Type, Content-Disposition or a similar field */
  spendOnParameters(text: string): void {
    const characters = text.length * (text.includes("(") ? 2 : 1);
    const words = text.includes("=?") ? text.split("=?").length - 1 : 0;
    this.spend(characters * costNs.parameterCharacter + words * costNs.encodedWord);
  }
}
