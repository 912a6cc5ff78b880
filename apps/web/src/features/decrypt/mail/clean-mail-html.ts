/**
 * Writes a message's HTML anew from an allow-list, so that no script, style, form or frame is left however a browser
 * would parse the input; the only addresses left are links and the message's own images. The sandboxed frame blocks
 * scripts and requests as well. docs/decisions/2026-11-23-mail-html-cleaner.md says why no library is used; browser
 * tests compare the result with a library's.
 */
import { ElementWriter, elements } from "./element-writer.ts";

export interface FrameContent {
  html: string;
  /** Number of images left out, which are not part of the message. */
  leftOut: number;
  /** Whether the HTML exceeded a limit on elements or on the size of images. */
  isCut: boolean;
}

/** Elements removed with their content; of any other unknown element only the tags are removed. */
const removedWithContent = new Set(
  "applet audio canvas iframe math noembed noframes noscript object script select style svg template textarea title video xmp".split(
    " ",
  ),
);
const keptAttributes = new Set(
  (
    "abbr align alt bgcolor border cellpadding cellspacing color colspan dir face height lang noshade nowrap open " +
    "rowspan scope size span start title type valign value width"
  ).split(" "),
);
/** Attributes of cells: a cell costs a browser as much as the cells it covers. */
const spanAttributes = new Set(["colspan", "rowspan", "span"]);
const SPAN_MAX = 100;
/** Maximum characters of all `data:` URLs; an image used twice counts twice. */
const IMAGE_CHARS_MAX = 20 * 1024 * 1024;
const imageDataUrl = /^data:image\/(?:png|jpeg|gif|webp|avif|bmp);base64,[\w+/=\s]+$/i;

/** Name of a tag, after the `<`, with the slash of an end tag. */
const tagName = /(\/?)([a-z][^\s/>]*)/iy;
/** Name and value of an attribute; the value in double quotes, in single quotes or bare. */
const attribute = /[\s/]*([^\s/>=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]*)))?/y;

/** @param images `data:` URLs by Content-ID */
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
  /** Tag name in lower case; empty for what is no tag: a comment, `<!…>`, `<?…>`, a single `<`. */
  name: string;
  isEnd: boolean;
  attributes: Map<string, string>;
  /** Index after the markup. */
  end: number;
}

function readTag(html: string, open: number): Tag {
  const tag: Tag = { name: "", isEnd: false, attributes: new Map(), end: open + 1 };
  if (html.startsWith("<!--", open)) return { ...tag, end: after(html, "-->", open + 4) };
  if (/[!?]/.test(html[open + 1] ?? "")) return { ...tag, end: after(html, ">", open) };
  tagName.lastIndex = open + 1;
  const head = tagName.exec(html);
  // A `<` that begins no tag is dropped.
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

/** Index after the next `end`; the HTML's length if there is none. */
function after(html: string, end: string, from: number): number {
  const at = html.indexOf(end, from);
  return at === -1 ? html.length : at + end.length;
}

/** End of an element that is removed with its content; the HTML's length without an end tag. */
function endOf(html: string, name: string, from: number): number {
  const end = new RegExp(`</${name}(?=[\\s/>])`, "gi");
  end.lastIndex = from;
  const found = end.exec(html);
  return found === null ? html.length : after(html, ">", found.index);
}

/** Attributes as HTML text, each after a space. */
function attributesText(given: ReadonlyMap<string, string>): string {
  return [...given]
    .filter(([name]) => keptAttributes.has(name))
    .map(([name, value]) => ` ${name}="${spanAttributes.has(name) ? spanOf(value) : quoted(value)}"`)
    .join("");
}

/** A cell's span, from 1 to `SPAN_MAX`; 1 if it is no number. */
const spanOf = (value: string): number => Math.min(Math.max(Number.parseInt(value, 10) || 1, 1), SPAN_MAX);

/** Cells that the element covers, which is what it costs a browser. */
function costOf(given: ReadonlyMap<string, string>): number {
  return [...spanAttributes].reduce((cost, name) => cost * spanOf(given.get(name) ?? ""), 1);
}

/** Attributes of a link that opens a new tab without opener and referrer; empty unless http or https. */
function linkOf(given: ReadonlyMap<string, string>): string {
  const address = withoutReferences(given.get("href") ?? "").trim();
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return "";
  return ` href="${quoted(new URL(address).href.replaceAll("&", "&amp;"))}" target="_blank" rel="noopener noreferrer nofollow"`;
}

/** URL of an image. @returns `null` if the image is not part of the message; "" without a source */
function sourceOf(given: ReadonlyMap<string, string>, images: ReadonlyMap<string, string>): string | null {
  const address = withoutReferences(given.get("src") ?? "").trim();
  // The image was checked when the message was parsed; checking a long URL at every use would be slow.
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

/** Decodes only `&amp;`: any other character reference makes the address invalid. */
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

/** Escapes angle brackets only, so that `&eacute;` remains. */
const escaped = (text: string): string => text.replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const quoted = (text: string): string => escaped(text).replaceAll('"', "&quot;");
