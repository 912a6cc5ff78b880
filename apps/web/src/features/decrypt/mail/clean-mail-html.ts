/**
 * A stranger's HTML as it may be shown: written anew from known elements and attributes alone, so that whatever a
 * parser makes of the original, no script, style, form or frame comes out, and no address but that of a link one clicks
 * and of pictures within the message. One pass, for the mail worker; the frame it is shown in lets nothing run or load
 * either. Pure. Why no library does it: docs/decisions/2026-11-23-mail-html-cleaner.md. One judges the outcome in the
 * browser tests.
 */
import { elements } from "./element-kinds.ts";
import { ElementWriter } from "./element-writer.ts";

export interface FrameContent {
  html: string;
  /** Pictures that would have been fetched from somewhere. */
  leftOut: number;
  /** Not all of it: it has more elements or pictures than a browser shows in time. */
  isCut: boolean;
}

/** What is within them is no text of the message. Of all others that are not known only the tag goes. */
const wordless = new Set(
  "applet audio canvas iframe math noembed noframes noscript object script select style svg template textarea title video xmp".split(
    " ",
  ),
);
const attributes = new Set(
  (
    "abbr align alt bgcolor border cellpadding cellspacing color colspan dir face height lang noshade nowrap open " +
    "rowspan scope size span start title type valign value width"
  ).split(" "),
);
/** A cell over 1,000 columns costs as much as 1,000 cells. */
const spans = new Set(["colspan", "rowspan", "span"]);
const SPAN_MAX = 100;
/** Characters of all `data:` addresses together, a picture that is named twice counted twice. */
const PICTURES_MAX = 20 * 1024 * 1024;
const pictureAddress = /^data:image\/(?:png|jpeg|gif|webp|avif|bmp);base64,[\w+/=\s]+$/i;

/** `<!…>`, `<?…>` and comments say nothing; a tag has a name, and attributes up to its end. */
const tagName = /(\/?)([a-z][^\s/>]*)/iy;
const attribute = /[\s/]*([^\s/>=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]*)))?/y;

/** @param images `data:` addresses by the Content-ID the HTML names */
export function cleanMailHtml(html: string, images: ReadonlyMap<string, string>): FrameContent {
  const out = new ElementWriter();
  const pictures = { leftOut: 0, charactersLeft: PICTURES_MAX };
  let at = 0;
  while (at < html.length && !out.isFull) {
    const open = html.indexOf("<", at);
    out.text(escaped(html.slice(at, open === -1 ? undefined : open)));
    if (open === -1) break;
    const tag = readTag(html, open);
    at = tag.end;
    if (tag.name === "") continue;
    if (wordless.has(tag.name)) at = tag.isEnd ? tag.end : endOf(html, tag.name, tag.end);
    else if (!elements.has(tag.name)) continue;
    else if (tag.isEnd) out.end(tag.name);
    else if (tag.name === "img") writePicture(out, sourceOf(tag.attributes, images), tag.attributes, pictures);
    else out.start(tag.name, startTag(tag), costOf(tag.attributes));
  }
  return {
    html: String(out),
    leftOut: pictures.leftOut,
    isCut: out.isFull || pictures.charactersLeft < 0,
  };
}

function startTag({ name, attributes: given }: Tag): string {
  return `<${name}${written(given)}${name === "a" ? linkOf(given) : ""}>`;
}

interface Tag {
  /** Empty: markup that is no tag. */
  name: string;
  isEnd: boolean;
  attributes: Map<string, string>;
  end: number;
}

function readTag(html: string, open: number): Tag {
  const tag: Tag = { name: "", isEnd: false, attributes: new Map(), end: open + 1 };
  if (html.startsWith("<!--", open)) return { ...tag, end: after(html, "-->", open + 4) };
  if (/[!?]/.test(html[open + 1] ?? "")) return { ...tag, end: after(html, ">", open) };
  tagName.lastIndex = open + 1;
  const head = tagName.exec(html);
  // A sign on its own: left out.
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

/** Where it ends, or the end of everything. */
function after(html: string, sign: string, from: number): number {
  const at = html.indexOf(sign, from);
  return at === -1 ? html.length : at + sign.length;
}

/** Behind the end tag of a wordless element; all of the rest when it has none. */
function endOf(html: string, name: string, from: number): number {
  const end = new RegExp(`</${name}(?=[\\s/>])`, "gi");
  end.lastIndex = from;
  const found = end.exec(html);
  return found === null ? html.length : after(html, ">", found.index);
}

function written(given: ReadonlyMap<string, string>): string {
  return [...given]
    .filter(([name]) => attributes.has(name))
    .map(([name, value]) => ` ${name}="${spans.has(name) ? spanOf(value) : quoted(value)}"`)
    .join("");
}

const spanOf = (value: string): number => Math.min(Math.max(Number.parseInt(value, 10) || 1, 1), SPAN_MAX);

function costOf(given: ReadonlyMap<string, string>): number {
  return [...spans].reduce((cost, name) => cost * spanOf(given.get(name) ?? ""), 1);
}

/** Opens beside the page, which learns nothing of it, and tells nobody where it was. */
function linkOf(given: ReadonlyMap<string, string>): string {
  const address = withoutReferences(given.get("href") ?? "").trim();
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return "";
  return ` href="${quoted(new URL(address).href.replaceAll("&", "&amp;"))}" target="_blank" rel="noopener noreferrer nofollow"`;
}

/** @returns `null`: it is not in the message; "": it names none */
function sourceOf(given: ReadonlyMap<string, string>, images: ReadonlyMap<string, string>): string | null {
  const address = withoutReferences(given.get("src") ?? "").trim();
  // Looked at already, and too long to be looked at each time it is named.
  if (/^cid:/i.test(address)) return images.get(decoded(address.slice(4))) ?? null;
  if (pictureAddress.test(address)) return address;
  return address === "" && !given.has("srcset") ? "" : null;
}

function writePicture(
  out: ElementWriter,
  source: string | null,
  given: ReadonlyMap<string, string>,
  pictures: { leftOut: number; charactersLeft: number },
): void {
  pictures.charactersLeft -= source?.length ?? 0;
  if (source && pictures.charactersLeft >= 0) return out.start("img", `<img src="${quoted(source)}"${written(given)}>`);
  const words = (given.get("alt") ?? "").trim();
  if (words !== "") out.text(escaped(`[${words}]`));
  if (source === null) pictures.leftOut++;
}

/**
 * An address is read as a browser would read it: `&amp;` is one sign. Other references stay, and fail as an address.
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

/** References such as `&eacute;` stay what they are. */
const escaped = (text: string): string => text.replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const quoted = (text: string): string => escaped(text).replaceAll('"', "&quot;");
