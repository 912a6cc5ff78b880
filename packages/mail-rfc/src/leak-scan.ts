/**
 * Looks for the owner's own addresses in what a reply is about to say: quoted text, links, calendar entries, headers. Reads each
 * part as a mail program would show it, and also as it stands: entities, percent signs, markup, folds and unseen characters are
 * undone. Parts come in decoded (base64, quoted-printable, charset); attachments of other types are not read.
 */
import { domainToASCII, domainToUnicode } from "node:url";
import { decodeEncodedWords } from "./encoded-word.ts";
import { LOCAL_MAX_OCTETS } from "./local-part.ts";

/** Decoded text of each kind; several parts of a kind are joined by a line break. */
export interface ScannedParts {
  /** Header fields of the message and of its parts, unfolded or not. */
  headers?: string;
  text?: string;
  html?: string;
  calendar?: string;
}

const UNSEEN = /[\p{Cf}\u{34f}\u{115f}\u{1160}\u{17b4}\u{17b5}\u{3164}\u{ffa0}\u{2800}]/gu;
// Signs before or after an address belong to it only when a letter or digit stands beyond them.
const LOCAL_BEFORE = /[\p{L}\p{N}][._+-]*$/u;
const DOMAIN_AFTER = /^[.-]*[\p{L}\p{N}]/u;
/** Names of HTML, in lower case, as the text is by then. */
const NAMED = new Map([
  ["commat", "@"],
  ["period", "."],
  ["lowbar", "_"],
  ["plus", "+"],
  ["hyphen", "-"],
  ["dash", "-"],
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["num", "#"],
  ["percnt", "%"],
  ["colon", ":"],
  ["shy", ""],
  ["zwnj", ""],
  ["zwj", ""],
  ["zerowidthspace", ""],
]);

/**
 * @param destinations addresses of the alias' owner, in any case; one with a tag is looked for without it too
 * @returns the first destination found, as it was given; `null` when there is none
 */
export function findLeak(parts: ScannedParts, destinations: readonly string[]): string | null {
  const wanted = destinations.flatMap((destination) =>
    spellings(destination).map((spelling) => ({ destination, spelling })),
  );
  if (wanted.length === 0) return null;
  const { headers = "", text = "", html = "", calendar = "" } = parts;
  const holds = (views: Iterable<string>, test: (view: string, spelling: string) => boolean): string | null => {
    for (const view of views) {
      const found = wanted.find(({ spelling }) => test(view, spelling));
      if (found) return found.destination;
    }
    return null;
  };
  // Identifiers and file names put more around an address without meaning another one.
  return (
    holds(spokenViews(text, html), holdsAddress) ??
    holds(codedViews(headers, calendar), (view, spelling) => view.includes(spelling))
  );
}

/** In lower case, with and without a tag, the domain in both of its forms. */
function spellings(destination: string): string[] {
  const address = destination.trim().normalize("NFKC").toLowerCase();
  const at = address.lastIndexOf("@");
  if (at < 1) return [];
  const domain = address.slice(at + 1);
  const local = address.slice(0, at);
  const locals = [local, local.replace(/\+.*$/s, "")].filter((text) => text !== "");
  const domains = [domain, domainToASCII(domain), domainToUnicode(domain)].filter((text) => text !== "");
  return [...new Set(locals.flatMap((left) => domains.map((right) => `${left}@${right}`)))];
}

/** One text after another, so that a leak in plain sight costs no more than its search. */
function* spokenViews(text: string, html: string): Generator<string> {
  yield* allForms(text);
  yield* allForms(html);
  if (html.includes("<")) yield* withoutMarkup(plain(html));
}

/** Folded or not, encoded words read or not. */
function* codedViews(headers: string, calendar: string): Generator<string> {
  yield* allForms(decodeEncodedWords(headers.replace(/\r?\n(?=[ \t])/g, "")));
  for (const part of [headers, calendar]) {
    yield* allForms(part);
    if (part.includes("\n")) yield* allForms(part.replace(/\r?\n[ \t]/g, ""));
  }
}

function* allForms(part: string): Generator<string> {
  if (part === "") return;
  const seen = plain(part);
  yield seen;
  yield* undone(seen);
}

function plain(text: string): string {
  return text.normalize("NFKC").replace(UNSEEN, "").toLowerCase();
}

/** Entities first: a link in HTML may hold percent signs written as entities. Twice, since programs quote what is quoted. */
function* undone(text: string): Generator<string> {
  let current = text;
  for (let round = 0; round < 2; round += 1) {
    const next = withoutPercent(withoutEntities(current));
    if (next === current) return;
    current = plain(next);
    yield current;
  }
}

/** Markup shows as nothing or as a break: an address parted by it is still read as one. */
function* withoutMarkup(html: string): Generator<string> {
  const visible = html.replace(/<!--.*?(?:-->|$)/gs, "").replace(/<[^<>]*>/g, "");
  yield visible;
  yield* undone(visible);
}

function withoutEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z]{2,15}));?/gi, (all, hex, decimal, name) => {
    if (name !== undefined) return NAMED.get(name) ?? all;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all;
  });
}

/** Runs are taken in pieces: V8 gives up on one of megabytes in a process that has compiled many expressions. */
function withoutPercent(text: string): string {
  if (!text.includes("%")) return text;
  return text.replace(/(?:%[0-9a-f]{2}){1,60000}/gi, (all) =>
    Buffer.from(all.replaceAll("%", ""), "hex").toString("utf8"),
  );
}

/** Not within a longer address: "joann@…" is somebody else, and so is "ann@example.org.example". */
function holdsAddress(text: string, address: string): boolean {
  for (let at = text.indexOf(address); at >= 0; at = text.indexOf(address, at + 1)) {
    const end = at + address.length;
    const isWhole = !LOCAL_BEFORE.test(text.slice(Math.max(0, at - LOCAL_MAX_OCTETS), at));
    if (isWhole && !DOMAIN_AFTER.test(text.slice(end, end + LOCAL_MAX_OCTETS))) return true;
  }
  return false;
}
