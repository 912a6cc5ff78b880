/** Where a text holds a mailbox that an alias forwards to, so that the form can show it and put the alias there. */
import { parseForwardTo } from "@kauke/contract";
import { splitAtSign } from "@kauke/contract/split-address";

/** Offsets in UTF-16 units; the end is exclusive. */
export interface LeakPlace {
  start: number;
  end: number;
}

/** Invisible characters, removed before the search. */
const unseen = /[\p{Cf}\u034f\u115f\u1160\u3164\uffa0\u2800]/gu;
/** What makes a match part of a longer address: "joann@…" is no leak of "ann@…". */
const before = /[\p{L}\p{N}][._+-]*$/u;
const after = /^[.-]*[\p{L}\p{N}]/u;
/** Characters examined on each side of a match. */
const CONTEXT_LENGTH = 64;

const plain = (text: string): string => text.normalize("NFKC").replace(unseen, "").toLowerCase();

/** The text as it is searched, and for each of its units the offset in the typed text that it comes from. */
function searchable(text: string): { plainText: string; offsets: number[] } {
  const offsets: number[] = [];
  let plainText = "";
  let at = 0;
  for (const character of text) {
    const part = plain(character);
    for (let unit = 0; unit < part.length; unit += 1) offsets.push(at);
    plainText += part;
    at += character.length;
  }
  offsets.push(at);
  return { plainText, offsets };
}

/** Unlike the server's guard it doesn't decode links and markup. @param forwardTo may include webhooks, or `null` */
export function findLeaks(text: string, forwardTo: string): LeakPlace[] {
  const destinations = parseForwardTo(forwardTo) ?? [];
  const mailboxes = destinations.flatMap((one) => (one.kind === "mailbox" ? spellings(one.address) : []));
  const { plainText, offsets } = searchable(text);
  const places = mailboxes.flatMap((mailbox) => findAddress(plainText, mailbox));
  const typed = places.map(({ start, end }) => ({ start: offsets[start] ?? 0, end: offsets[end] ?? text.length }));
  return withoutOverlaps(typed.sort((a, b) => a.start - b.start || b.end - a.end));
}

/** @param places in order */
const withoutOverlaps = (places: readonly LeakPlace[]): LeakPlace[] =>
  places.filter(({ start }, index) => places.slice(0, index).every((earlier) => earlier.end <= start));

/** Spellings of a mailbox: with and without the tag; the domain in Unicode and in ASCII. */
function spellings(mailbox: string): string[] {
  const address = plain(mailbox);
  const { local, domain } = splitAtSign(address);
  const locals = new Set([local, local.replace(/\+.*$/s, "")].filter((part) => part !== ""));
  return [...locals].flatMap((name) => [...new Set([domain, asciiDomain(domain)])].map((right) => `${name}@${right}`));
}

function asciiDomain(domain: string): string {
  return URL.canParse(`http://${domain}`) ? new URL(`http://${domain}`).hostname : domain;
}

function findAddress(text: string, address: string): LeakPlace[] {
  const places: LeakPlace[] = [];
  for (let start = text.indexOf(address); start >= 0; start = text.indexOf(address, start + 1)) {
    const end = start + address.length;
    const isWhole = !before.test(text.slice(Math.max(0, start - CONTEXT_LENGTH), start));
    if (isWhole && !after.test(text.slice(end, end + CONTEXT_LENGTH))) places.push({ start, end });
  }
  return places;
}

/** Puts the alias in the place of every mailbox. */
export function replacePlaces(text: string, places: readonly LeakPlace[], alias: string): string {
  return [...places]
    .sort((a, b) => b.start - a.start)
    .reduce((changed, { start, end }) => `${changed.slice(0, start)}${alias}${changed.slice(end)}`, text);
}

/** Characters shown on each side of a place. */
const SHOWN_AROUND = 24;

/** The line of a place with what stands around it. */
export function lineOf(
  text: string,
  { start, end }: LeakPlace,
): { line: number; head: string; found: string; tail: string } {
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const lineEnd = text.indexOf("\n", end);
  const head = text.slice(lineStart, start);
  const tail = text.slice(end, lineEnd === -1 ? undefined : lineEnd);
  return {
    line: text.slice(0, start).split("\n").length,
    head: head.length > SHOWN_AROUND ? `…${head.slice(-SHOWN_AROUND)}` : head,
    found: text.slice(start, end),
    tail: tail.length > SHOWN_AROUND ? `${tail.slice(0, SHOWN_AROUND)}…` : tail,
  };
}
