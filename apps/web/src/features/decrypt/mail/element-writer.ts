/**
 * Writes elements nested so that a browser's parser has nothing to repair: repairs turn small inputs into large
 * documents (48 KB of unclosed `<font>` before `<p>` hung a tab), and parsers differ. A simplified tree construction
 * (HTML standard, section 13.2.6): what it doesn't model is closed or left out.
 */
/** How each element closes others when it begins (HTML standard, 13.2.6). */
const names = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** Allowed elements; tags of all others are removed. */
export const elements = names(
  "a abbr address article aside b bdi bdo big blockquote br caption center cite code col colgroup dd del details dfn div dl " +
    "dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main mark nav ol p pre q s samp section " +
    "small span strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr",
);

/** Elements without content and end tag. */
const voids = names("br col hr img wbr");
const headings = names("h1 h2 h3 h4 h5 h6");
/** Formatting elements, reopened after the end of the element around them. */
const formatting = names("a b big code em font i s small strike strong tt u");
/** Block elements, which close an open paragraph. */
const blocks = names(
  "address article aside blockquote center dd details dir div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header hr li " +
    "main nav ol p pre section summary table ul",
);
/** Elements beyond which nothing is closed: a cell doesn't close a paragraph or link outside. */
const cellEnds = names("caption table td th");
/** An inner list's item doesn't close one of the outer list. */
const itemEnds: ReadonlySet<string> = new Set(
  [...blocks, ...cellEnds].filter((name) => !["address", "div", "p"].includes(name)),
);

const inTable = names("table");
/** Parents that an element must have: a browser's parser would create a missing level. */
const parentsOf: Readonly<Record<string, ReadonlySet<string>>> = {
  caption: inTable,
  colgroup: inTable,
  thead: inTable,
  tbody: inTable,
  tfoot: inTable,
  col: names("colgroup table"),
  tr: names("table tbody tfoot thead"),
  td: names("table tbody tfoot thead tr"),
  th: names("table tbody tfoot thead tr"),
};

/** Maximum depth: browsers stop at 512; quoted replies of newsletters in tables stay below 150. */
const DEPTH_MAX = 200;
/** A cell counts as the cells it spans; left-out tags count too. Newsletters have some 2,000 elements. */
export const ELEMENTS_MAX = 30_000;

interface OpenElement {
  name: string;
  /** The tag as written; written again when the element is reopened. */
  tag: string;
}

export class ElementWriter {
  readonly #out: string[] = [];
  readonly #open: OpenElement[] = [];
  #count = 0;

  /** Whether a limit was reached, after which nothing more is written. */
  get isFull(): boolean {
    return this.#count > ELEMENTS_MAX;
  }

  /** @param text already escaped */
  text(text: string): void {
    if (!this.isFull) this.#out.push(text);
  }

  /** @param tag cleaned, e.g. `<td colspan="2">` @param cost number of elements that it counts as */
  start(name: string, tag: string, cost = 1): void {
    const reopened = this.#makePlaceFor(name);
    if (reopened === null || this.#open.length >= DEPTH_MAX) return this.#leaveOut();
    // Reopened before a table: a browser would move formatting that begins directly within one.
    const [before, after] = name === "table" ? [reopened, []] : [[], reopened];
    for (const element of before) this.#write(element);
    this.#write({ name, tag }, cost);
    for (const element of after) this.#write(element);
  }

  /** Ends the innermost element of this name, and reopens formatting elements that were open within it. */
  end(name: string): void {
    const isPart = name === "table" || name in parentsOf;
    const at = this.#lastIndex(
      headings.has(name) ? (open) => headings.has(open) : (open) => open === name,
      isPart ? (open) => open === "table" && name !== "table" : (open) => cellEnds.has(open),
    );
    if (at === -1) return this.#leaveOut();
    const within = this.#closeFrom(at).slice(1);
    if (isPart) return;
    // In `<b><p>x</b>y` the paragraph is reopened, in `<p><b>x</p>y` the bold text.
    const isKept = formatting.has(name) ? () => true : (element: OpenElement) => formatting.has(element.name);
    for (const element of within.filter(isKept)) this.#write(element);
  }

  toString(): string {
    return this.#out.join("");
  }

  /** @returns formatting elements to reopen within the new one; `null` if it isn't allowed in this place */
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
    // A link ends the link before it; other formatting is reopened.
    return ended.filter((element) => formatting.has(element.name) && (name !== "a" || element.name !== "a"));
  }

  /** Index of the first open element that a new one ends; -1 if it ends none. */
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

  /** @returns the closed elements, outermost first */
  #closeFrom(at: number): OpenElement[] {
    const closed = this.#open.splice(at);
    if (!this.isFull) for (const { name } of closed.toReversed()) this.#out.push(`</${name}>`);
    return closed;
  }

  /** Index of the innermost wanted element; -1 if there is none. @param isEnd names at which the search stops */
  #lastIndex(isWanted: (name: string) => boolean, isEnd: (name: string) => boolean = () => false): number {
    for (let at = this.#open.length - 1; at >= 0; at--) {
      const { name } = this.#open[at] as OpenElement;
      if (isWanted(name)) return at;
      if (isEnd(name)) return -1;
    }
    return -1;
  }
}
