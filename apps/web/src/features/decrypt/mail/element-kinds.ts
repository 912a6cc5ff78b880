/** The elements that a message may contain, and how each closes others when it begins (HTML standard, 13.2.6). Data. */
const names = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** All allowed elements; tags of others are removed. */
export const elements = names(
  "a abbr address article aside b bdi bdo big blockquote br caption center cite code col colgroup dd del details dfn div dl " +
    "dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main mark nav ol p pre q s samp section " +
    "small span strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr",
);

/** Elements without content and end tag. */
export const voids = names("br col hr img wbr");
export const headings = names("h1 h2 h3 h4 h5 h6");
/** Formatting elements: an open one is reopened after the end of the element that contains it. */
export const formatting = names("a b big code em font i s small strike strong tt u");
/** Elements that close an open paragraph when they begin. */
export const blocks = names(
  "address article aside blockquote center dd details dir div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header hr li " +
    "main nav ol p pre section summary table ul",
);
/** Elements beyond which nothing is closed: what is in a cell does not close a paragraph or link outside of it. */
export const cellEnds = names("caption table td th");
/** Elements beyond which no list item is closed: an item of an inner list does not close an item of the outer one. */
export const itemEnds: ReadonlySet<string> = new Set(
  [...blocks, ...cellEnds].filter((name) => !["address", "div", "p"].includes(name)),
);

const inTable = names("table");
/** Allowed parents of each part of a table. Where a level between is missing, the browser's parser creates it. */
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
