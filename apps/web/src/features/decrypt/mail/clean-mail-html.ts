/**
 * Cleans the HTML of a message for display. The output is written anew from an allow-list of elements and attributes,
 * so it contains no script, style, form or frame, however a browser would parse the input. The only addresses left are
 * those of links, and images that are part of the message. Runs in one pass in the mail worker; the sandboxed frame
 * that shows the result blocks scripts and requests as well. Pure. docs/decisions/2026-11-23-mail-html-cleaner.md says
 * why no library is used; the browser tests compare the result with a library's.
 */
import { ElementWriter, elements } from "./element-writer.ts";

export interface FrameContent {
  html: string;
  /** Number of images that were left out because they are not part of the message. */
  leftOut: number;
  /** Whether the HTML is incomplete because it exceeds a limit on elements or on the size of images. */
  isCut: boolean;
}

/** Elements that are removed with their content. Of any other unknown element only the tags are removed. */
const removedWithContent = new Set(
  "applet audio canvas iframe math noembed noframes noscript object script select style svg template textarea title video xmp".split(
    " ",
  ),
);
/** HTML attributes that are kept. */
const keptAttributes = new Set(
  (
    "abbr align alt bgcolor border cellpadding cellspacing color colspan dir face height lang noshade nowrap open " +
    "rowspan scope size span start title type valign value width"
  ).split(" "),
);
/** Attributes by which one cell covers several; such a cell costs a browser as much as the cells it covers. */
const spanAttributes = new Set(["colspan", "rowspan", "span"]);
const SPAN_MAX = 100;
/** Maximum characters of all `data:` URLs of images together; an image that is referenced twice counts twice. */
const IMAGE_CHARS_MAX = 20 * 1024 * 1024;
const imageDataUrl = /^data:image\/(?:png|jpeg|gif|webp|avif|bmp);base64,[\w+/=\s]+$/i;

/** The name of a tag, after its `<`, with the slash of an end tag. */
const tagName = /(\/?)([a-z][^\s/>]*)/iy;
/** One attribute of a tag, with its value in double quotes, in single quotes or bare, if it has one. */
const attribute = /[\s/]*([^\s/>=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]*)))?/y;

/** Cleans a message's HTML. @param images `data:` URLs of the message's images by Content-ID */
export function cleanMailHtml(html: string, images: ReadonlyMap<string, string>): FrameContent {
  const out = new ElementWriter();
  const budget = { leftOut: 0, charactersLeft: IMAGE_CHARS_MAX };
  let at = 0;
  while (at < html.length && !out.isFull) {
    const open = html.indexOf("<", at);
    out.text(escaped(html.slice(at, open === -1 ? undefined : open)));
    if (open === -1) break;
    const tag = readTag(html, open);
    at = tag.end;
    if (tag.name === "") continue;
    if (removedWithContent.has(tag.name)) at = tag.isEnd ? tag.end : endOf(html, tag.name, tag.end);
    else if (!elements.has(tag.name)) continue;
    else if (tag.isEnd) out.end(tag.name);
    else if (tag.name === "img") writeImage(out, sourceOf(tag.attributes, images), tag.attributes, budget);
    else out.start(tag.name, startTag(tag), costOf(tag.attributes));
  }
  return {
    html: String(out),
    leftOut: budget.leftOut,
    isCut: out.isFull || budget.charactersLeft < 0,
  };
}

function startTag({ name, attributes: given }: Tag): string {
  return `<${name}${attributesText(given)}${name === "a" ? linkOf(given) : ""}>`;
}

interface Tag {
  /** Lower-case name; empty for markup that is not a tag: a comment, `<!…>`, `<?…>` or a single `<`. */
  name: string;
  isEnd: boolean;
  attributes: Map<string, string>;
  /** Index of the first character after the markup. */
  end: number;
}

function readTag(html: string, open: number): Tag {
  const tag: Tag = { name: "", isEnd: false, attributes: new Map(), end: open + 1 };
  if (html.startsWith("<!--", open)) return { ...tag, end: after(html, "-->", open + 4) };
  if (/[!?]/.test(html[open + 1] ?? "")) return { ...tag, end: after(html, ">", open) };
  tagName.lastIndex = open + 1;
  const head = tagName.exec(html);
  // A `<` that begins no tag is left out.
  if (head === null) return tag;
  let end = tagName.lastIndex;
  const given = new Map<string, string>();
  for (;;) {
    attribute.lastIndex = end;
    const found = attribute.exec(html);
    if (found === null) break;
    end = attribute.lastIndex;
    const [, name = "", double, single, bare = ""] = found;
    if (!given.has(name.toLowerCase())) given.set(name.toLowerCase(), double ?? single ?? bare);
  }
  const [, slash, name = ""] = head;
  return { ...tag, name: name.toLowerCase(), isEnd: slash === "/", attributes: given, end: after(html, ">", end) };
}

/** Index after the next occurrence of `end`, or the length of the HTML if there is none. */
function after(html: string, end: string, from: number): number {
  const at = html.indexOf(end, from);
  return at === -1 ? html.length : at + end.length;
}

/** Index after the end tag of an element that is removed with its content; the HTML's length if it has none. */
function endOf(html: string, name: string, from: number): number {
  const end = new RegExp(`</${name}(?=[\\s/>])`, "gi");
  end.lastIndex = from;
  const found = end.exec(html);
  return found === null ? html.length : after(html, ">", found.index);
}

/** The kept attributes of a tag as text, each after a space. */
function attributesText(given: ReadonlyMap<string, string>): string {
  return [...given]
    .filter(([name]) => keptAttributes.has(name))
    .map(([name, value]) => ` ${name}="${spanAttributes.has(name) ? spanOf(value) : quoted(value)}"`)
    .join("");
}

/** Value of an attribute such as `colspan`, limited to 1 to `SPAN_MAX`; 1 if it is no number. */
const spanOf = (value: string): number => Math.min(Math.max(Number.parseInt(value, 10) || 1, 1), SPAN_MAX);

/**
 * Number of cells that an element's span attributes make it cover, which is what it costs a browser; 1 without such
 * attributes.
 */
function costOf(given: ReadonlyMap<string, string>): number {
  return [...spanAttributes].reduce((cost, name) => cost * spanOf(given.get(name) ?? ""), 1);
}

/**
 * Attributes of a link: it opens in a new tab, without opener and referrer. Empty unless the address is http or https.
 */
function linkOf(given: ReadonlyMap<string, string>): string {
  const address = withoutReferences(given.get("href") ?? "").trim();
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return "";
  return ` href="${quoted(new URL(address).href.replaceAll("&", "&amp;"))}" target="_blank" rel="noopener noreferrer nofollow"`;
}

/** @returns the `data:` URL of an image; `null` if it is not part of the message; "" if the element has no source */
function sourceOf(given: ReadonlyMap<string, string>, images: ReadonlyMap<string, string>): string | null {
  const address = withoutReferences(given.get("src") ?? "").trim();
  // The message's own images were checked when it was parsed; checking a long URL at every reference would be slow.
  if (/^cid:/i.test(address)) return images.get(decoded(address.slice(4))) ?? null;
  if (imageDataUrl.test(address)) return address;
  return address === "" && !given.has("srcset") ? "" : null;
}

/** Writes an image, or its alternative text if it is left out. */
function writeImage(
  out: ElementWriter,
  source: string | null,
  given: ReadonlyMap<string, string>,
  budget: { leftOut: number; charactersLeft: number },
): void {
  budget.charactersLeft -= source?.length ?? 0;
  if (source && budget.charactersLeft >= 0)
    return out.start("img", `<img src="${quoted(source)}"${attributesText(given)}>`);
  const words = (given.get("alt") ?? "").trim();
  if (words !== "") out.text(escaped(`[${words}]`));
  if (source === null) budget.leftOut++;
}

/**
 * Decodes `&amp;` in an address, as a browser does. Other character references stay, which makes the address invalid.
 */
function withoutReferences(text: string): string {
  return text.replace(/&(?:amp|#38|#x26);/gi, "&");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Escapes angle brackets only, so that character references such as `&eacute;` remain. */
const escaped = (text: string): string => text.replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const quoted = (text: string): string => escaped(text).replaceAll('"', "&quot;");
