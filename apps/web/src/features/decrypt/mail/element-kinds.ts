/** Elements that a message may have, by where they begin and end other ones (HTML standard, section 13.2.6). Data. */
const names = (text: string): ReadonlySet<string> => new Set(text.split(" "));

export const elements = names(
  "a abbr address article aside b bdi bdo big blockquote br caption center cite code col colgroup dd del details dfn div dl " +
    "dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main mark nav ol p pre q s samp section " +
    "small span strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr",
);

export const voids = names("br col hr img wbr");
export const headings = names("h1 h2 h3 h4 h5 h6");
/** Go on behind the end of what they stand in. */
export const formatting = names("a b big code em font i s small strike strong tt u");
/** End a paragraph. */
export const blocks = names(
  "address article aside blockquote center dd details dir div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header hr li " +
    "main nav ol p pre section summary table ul",
);
/** Paragraphs and links outside of a cell do not end by what is in it. */
export const cellEnds = names("caption table td th");
/** An item of a list does not end by an item of a list within it. */
export const itemEnds: ReadonlySet<string> = new Set(
  [...blocks, ...cellEnds].filter((name) => !["address", "div", "p"].includes(name)),
);

const inTable = names("table");
/** In which elements the parts of a table may stand; the parser makes those between by itself. */
export const parentsOf: Readonly<Record<string, ReadonlySet<string>>> = {
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
