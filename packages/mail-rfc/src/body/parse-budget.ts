/**
 * Bounds the cost of reading the parts of one message. The same budget is passed to every nested read: parts within
 * parts, attached messages, decoded and signed content. So the total is bounded, whatever the nesting. Costs are
 * nanoseconds of processor time, estimated for the slowest known input (whole-message-cost.test.ts measures whole
 * messages).
 */

/** Maximum nesting of multiparts and attached messages. */
export const PART_DEPTH_MAX = 20;
/** Maximum parts of one message, at all depths together. */
export const PARTS_MAX = 1000;
/**
 * Maximum cost of one message: enough to search 25 MiB for delimiters at three levels of nesting and to decode all of
 * it from base64.
 */
const COST_MAX_NS = 80_000_000;

/** Nanoseconds charged for each unit of work. */
export const costNs = {
  part: 5000,
  /** Cost of one byte searched natively for a pattern of eight bytes or more. */
  searchedByte: 0.5,
  /** Cost of one byte searched for a pattern shorter than eight bytes. */
  shortSearchedByte: 1.8,
  /** Cost of one occurrence of a boundary; `foundLine` is added when it begins a line. */
  foundBoundary: 200,
  foundLine: 600,
  headerByte: 5,
  headerLine: 300,
  /** Cost of one character of Content-Type or Content-Disposition. */
  parameterCharacter: 100,
  encodedWord: 5000,
  base64Byte: 1.5,
  quotedPrintableByte: 12,
  berElement: 200,
  calendarByte: 20,
  calendarLine: 2000,
  /**
   * Cost of one value of a calendar property or parameter. A possible address adds `calendarAddress`, and
   * `calendarAddressCharacter` for each of its characters.
   */
  calendarValue: 400,
  calendarAddress: 2000,
  calendarAddressCharacter: 400,
  /** Cost of one byte of HTML that is decoded, searched for links to parts, and written as base64. */
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

  /**
   * Charges the budget with nanoseconds of estimated processor time.
   * @throws ParseLimitError when the budget is exhausted
   */
  spend(ns: number): void {
    this.#leftNs -= ns;
    if (this.#leftNs < 0) throw new ParseLimitError();
  }

  /**
   * Counts one part of the message.
   * @param depth nesting level of the part; the message itself has level 0
   * @throws ParseLimitError when the message has too many parts or they are nested too deeply
   */
  countPart(depth: number): void {
    this.#parts -= 1;
    if (this.#parts < 0 || depth > PART_DEPTH_MAX) throw new ParseLimitError();
    this.spend(costNs.part);
  }

  /**
   * Charges the budget with the cost of parsing a field's parameters.
   * @param text value of Content-Type, Content-Disposition or a similar field
   * @throws ParseLimitError when the budget is exhausted
   */
  spendOnParameters(text: string): void {
    const characters = text.length * (text.includes("(") ? 2 : 1);
    const words = text.includes("=?") ? text.split("=?").length - 1 : 0;
    this.spend(characters * costNs.parameterCharacter + words * costNs.encodedWord);
  }
}
