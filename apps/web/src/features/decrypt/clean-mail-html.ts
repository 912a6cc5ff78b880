/**
 * A stranger's HTML as it may be shown: written anew from known elements and attributes alone, so that whatever a parser makes
 * of the original, no script, style, form or frame comes out, and no address but that of a link one clicks and of pictures
 * within the message. One pass, for the mail worker; the frame it is shown in lets nothing run or load either. Pure.
 */
export interface FrameContent {
  html: string;
  /** Pictures that would have been fetched from somewhere. */
  leftOut: number;
}

const elements = new Set(
  (
    "a abbr address article aside b bdi bdo big blockquote br caption center cite code col colgroup dd del details dfn div dl " +
    "dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main mark nav ol p pre q s samp section " +
    "small span strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr"
  ).split(" "),
);
/** What is within them is no text of the message. Of all others that are not known only the tag goes. */
const wordless = new Set(
  "applet audio canvas iframe math noembed noframes noscript object script select style svg template textarea title video xmp".split(
    " ",
  ),
);
const attributes = new Set(
  (
    "abbr align alt bgcolor border cellpadding cellspacing color colspan dir face height lang noshade nowrap open reversed " +
    "rowspan scope size span start title type valign value width"
  ).split(" "),
);
const pictureAddress = /^data:image\/(?:png|jpeg|gif|webp|avif|bmp);base64,[\w+/=\s]+$/i;

/** `<!…>`, `<?…>` and comments say nothing; a tag has a name, and attributes up to its end. */
const tagName = /(\/?)([a-z][^\s/>]*)/iy;
const attribute = /[\s/]*([^\s/>=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]*)))?/y;

/** @param images `data:` addresses by the Content-ID the HTML names */
export function cleanMailHtml(html: string, images: ReadonlyMap<string, string>): FrameContent {
  const out: string[] = [];
  let leftOut = 0;
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf("<", at);
    out.push(escaped(html.slice(at, open === -1 ? undefined : open)));
    if (open === -1) break;
    const tag = readTag(html, open);
    at = tag.end;
    if (tag.name === "") continue;
    if (wordless.has(tag.name)) at = tag.isEnd ? tag.end : endOf(html, tag.name, tag.end);
    else if (!elements.has(tag.name)) continue;
    else if (tag.isEnd) out.push(`</${tag.name}>`);
    else if (tag.name === "img") {
      const picture = pictureOf(tag.attributes, images);
      out.push(picture.html);
      leftOut += picture.leftOut;
    } else out.push(`<${tag.name}${written(tag.attributes)}${tag.name === "a" ? linkOf(tag.attributes) : ""}>`);
  }
  return { html: out.join(""), leftOut };
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
    .map(([name, value]) => ` ${name}="${quoted(value)}"`)
    .join("");
}

/** Opens beside the page, which learns nothing of it, and tells nobody where it was. */
function linkOf(given: ReadonlyMap<string, string>): string {
  const address = withoutReferences(given.get("href") ?? "").trim();
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return "";
  return ` href="${quoted(new URL(address).href.replaceAll("&", "&amp;"))}" target="_blank" rel="noopener noreferrer nofollow"`;
}

function pictureOf(given: ReadonlyMap<string, string>, images: ReadonlyMap<string, string>): FrameContent {
  const address = withoutReferences(given.get("src") ?? "").trim();
  const source = /^cid:/i.test(address) ? images.get(decoded(address.slice(4))) : address;
  if (source !== undefined && pictureAddress.test(source))
    return { html: `<img src="${quoted(source)}"${written(given)}>`, leftOut: 0 };
  const words = (given.get("alt") ?? "").trim();
  return { html: words === "" ? "" : escaped(`[${words}]`), leftOut: address === "" && !given.has("srcset") ? 0 : 1 };
}

/** An address is read as a browser would read it: `&amp;` is one sign. Other references stay, and fail as an address. */
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
