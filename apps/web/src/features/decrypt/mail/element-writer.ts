/**
 * Writes elements so that they nest: every one that is opened is closed where a browser would close it, and none stands
 * where a browser would move it. A browser's parser therefore has nothing to repair. Repairing is where small inputs
 * become large documents (48 KB of unclosed `<font>` before `<p>` hung a tab), and where two parsers differ. Depth and
 * number are bounded.
 *
 * A simplified tree construction (HTML standard, section 13.2.6): what it does not model is closed or left out, never
 * kept.
 */
import { blocks, cellEnds, formatting, headings, itemEnds, parentsOf, voids } from "./element-kinds.ts";

/** Browsers cut at 512; quoted replies of newsletters in tables stay below 150. */
const DEPTH_MAX = 200;
/**
 * Elements of one document, cells counted by what they span, tags that are left out too. Newsletters have some 2,000.
 */
export const ELEMENTS_MAX = 30_000;

interface OpenElement {
  name: string;
  /**
   * The sanitized start tag as it was written to the output; written again when the element is reopened after another
   * one has closed it.
   */
  tag: string;
}

export class ElementWriter {
  readonly #out: string[] = [];
  readonly #open: OpenElement[] = [];
  #count = 0;

  /** More elements were given than are shown; nothing is written from then on. */
  get isFull(): boolean {
    return this.#count > ELEMENTS_MAX;
  }

  /** @param text escaped already */
  text(text: string): void {
    if (!this.isFull) this.#out.push(text);
  }

  /** @param tag e.g. `<td colspan="2">` @param cost elements it counts as */
  start(name: string, tag: string, cost = 1): void {
    const reopened = this.#makePlaceFor(name);
    if (reopened === null || this.#open.length >= DEPTH_MAX) return this.#leaveOut();
    // Right within a table a browser would move them.
    const [before, after] = name === "table" ? [reopened, []] : [[], reopened];
    for (const element of before) this.#write(element);
    this.#write({ name, tag }, cost);
    for (const element of after) this.#write(element);
  }

  end(name: string): void {
    const isPart = name === "table" || name in parentsOf;
    const at = this.#lastIndex(
      headings.has(name) ? (open) => headings.has(open) : (open) => open === name,
      isPart ? (open) => open === "table" && name !== "table" : (open) => cellEnds.has(open),
    );
    if (at === -1) return this.#leaveOut();
    const within = this.#closeFrom(at).slice(1);
    if (isPart) return;
    // `<b><p>x</b>y` goes on as a paragraph, `<p><b>x</p>y` as bold text.
    const isKept = formatting.has(name) ? () => true : (element: OpenElement) => formatting.has(element.name);
    for (const element of within.filter(isKept)) this.#write(element);
  }

  toString(): string {
    return this.#out.join("");
  }

  /** Closes what the element ends by its beginning. @returns what goes on within it; `null`: it has no place here */
  #makePlaceFor(name: string): readonly OpenElement[] | null {
    const table = this.#lastIndex((open) => open === "table");
    const parents = parentsOf[name];
    if (parents !== undefined) {
      if (table === -1) return null;
      this.#closeFrom(this.#lastIndex((open) => parents.has(open)) + 1);
      return [];
    }
    const isInCell = this.#lastIndex((open) => open === "td" || open === "th" || open === "caption") > table;
    if (table !== -1 && !isInCell) {
      if (name !== "table") return null;
      this.#closeFrom(table);
    }
    const at = this.#endedBy(name);
    const ended = at === -1 ? [] : this.#closeFrom(at);
    if (headings.has(name) && headings.has(this.#open.at(-1)?.name ?? "")) this.#closeFrom(this.#open.length - 1);
    // A link ends the one before it, everything else goes on.
    return ended.filter((element) => formatting.has(element.name) && (name !== "a" || element.name !== "a"));
  }

  /** The outermost element that ends where this one begins; -1: none. */
  #endedBy(name: string): number {
    const isCellEnd = (open: string) => cellEnds.has(open);
    if (name === "a") return this.#lastIndex((open) => open === "a", isCellEnd);
    const paragraph = blocks.has(name) ? this.#lastIndex((open) => open === "p", isCellEnd) : -1;
    const same = name === "li" ? ["li"] : name === "dt" || name === "dd" ? ["dt", "dd"] : [];
    const item = this.#lastIndex(
      (open) => same.includes(open),
      (open) => itemEnds.has(open),
    );
    return item === -1 || paragraph === -1 ? Math.max(item, paragraph) : Math.min(item, paragraph);
  }

  #leaveOut(): void {
    this.#count++;
  }

  #write(element: OpenElement, cost = 1): void {
    this.#count += cost;
    if (this.isFull) return;
    this.#out.push(element.tag);
    if (!voids.has(element.name)) this.#open.push(element);
  }

  /** @returns what was open from there on */
  #closeFrom(at: number): OpenElement[] {
    const closed = this.#open.splice(at);
    if (!this.isFull) for (const { name } of closed.toReversed()) this.#out.push(`</${name}>`);
    return closed;
  }

  /** Of the open elements; -1: there is none within. @param isEnd what it is not looked for beyond */
  #lastIndex(isWanted: (name: string) => boolean, isEnd: (name: string) => boolean = () => false): number {
    for (let at = this.#open.length - 1; at >= 0; at--) {
      const { name } = this.#open[at] as OpenElement;
      if (isWanted(name)) return at;
      if (isEnd(name)) return -1;
    }
    return -1;
  }
}
