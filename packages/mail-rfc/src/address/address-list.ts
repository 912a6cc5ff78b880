/**
 * Address lists of header fields (RFC 5322 §3.4): mailboxes, groups, comments, quoted names, obsolete forms, encoded words and
 * raw UTF-8 (RFC 6532). Never throws: what can't be read is counted and left out. One pass over the text, no look back.
 *
 * Group names, comments after a name and source routes are dropped. Writing is `format-address.ts`.
 */

import { decodeEncodedWords, oneLine } from "../header/encoded-word.ts";
import { MailSyntaxError } from "../mail-syntax-error.ts";
import { type MailPath, parseAddress } from "./address.ts";
import { type Token, tokenizeAddresses } from "./address-tokens.ts";
import { quoteLocal } from "./local-part.ts";

export interface Mailbox {
  /** Decoded, on one line, without controls; `null` when there is none. */
  name: string | null;
  /** Canonical: domain in lower case, local part in the sender's case. */
  address: string;
}

export interface AddressList {
  mailboxes: Mailbox[];
  /** Entries that are no address; their text is gone. */
  unreadCount: number;
  /** Entries whose text is not what RFC 5322 allows, so that another program may read another address in it; unread ones among them. */
  looseCount: number;
  /** Whether entries after the most that are read were left out. */
  isCut: boolean;
}

/** Entries read of one field, read or not: what bounds the work. */
export const ADDRESSES_MAX = 1000;

const WORDS_MAX = 1000;

interface Entry {
  /** Before an angle bracket, or all there is. */
  words: Token[];
  /** Between the brackets, `null` without them. */
  angle: Token[] | null;
  comment: string;
  /** Something was skipped, or the brackets do not pair. */
  isLoose: boolean;
}

/**
 * The mailboxes of an unfolded field value, in order, members of groups among them.
 * @example parseAddressList('"Lee, Ann" <ann@Example.ORG>') // [{ name: "Lee, Ann", address: "ann@example.org" }]
 */
export function parseAddressList(value: string): Mailbox[] {
  return readAddressList(value).mailboxes;
}

/** As `parseAddressList`, and tells what it could not read. */
export function readAddressList(value: string): AddressList {
  const list: AddressList = { mailboxes: [], unreadCount: 0, looseCount: 0, isCut: false };
  for (const entry of entries(value)) {
    if (list.mailboxes.length + list.unreadCount === ADDRESSES_MAX) {
      list.isCut = true;
      break;
    }
    const mailbox = readEntry(entry);
    if (mailbox === null) list.unreadCount += 1;
    else list.mailboxes.push(mailbox);
    if (mailbox === null || entry.isLoose) list.looseCount += 1;
  }
  return list;
}

/** Splits at commas, and at semicolons, which end groups and stand for commas in some programs. */
function* entries(value: string): Generator<Entry> {
  let entry = emptyEntry();
  let isInAngle = false;
  for (const token of tokenizeAddresses(value)) {
    if (token.kind === "comment") entry.comment ||= token.text;
    else if (isInAngle && token.text === ">" && token.kind === "special") isInAngle = false;
    else if (!isInAngle && entry.angle !== null && !isSeparator(token)) {
      // Behind the closing bracket only a comment may stand. A second address there is what other programs may take.
      entry.isLoose = true;
      if (token.kind === "special" && token.text === "<") entry.angle.push(token);
      else addWord(entry.words, token);
    } else if (isInAngle && !endsEntry(token, entry.angle)) addWord(entry.angle, token);
    else if (token.kind !== "special") addWord(entry.words, token);
    else if (token.text === "<" && entry.angle === null) {
      entry.angle = [];
      isInAngle = true;
    } else if (token.text === ":" && entry.angle === null) entry = emptyEntry();
    else if (isSeparator(token)) {
      entry.isLoose ||= isInAngle;
      if (!isEmpty(entry)) yield entry;
      entry = emptyEntry();
      isInAngle = false;
    } else {
      entry.isLoose ||= token.text === ">";
      addWord(entry.words, token);
    }
  }
  entry.isLoose ||= isInAngle;
  if (!isEmpty(entry)) yield entry;
}

const isSeparator = ({ kind, text }: Token): boolean => kind === "special" && (text === "," || text === ";");

/** Of endless words only the first are kept: no name is that long, no address either. */
function addWord(words: Token[] | null, token: Token): void {
  if (words !== null && words.length < WORDS_MAX) words.push(token);
}

/** A comma inside brackets belongs to a source route, else the closing bracket was forgotten. */
function endsEntry(token: Token, angle: readonly Token[] | null): boolean {
  return isSeparator(token) && angle?.[0]?.text !== "@";
}

function emptyEntry(): Entry {
  return { words: [], angle: null, comment: "", isLoose: false };
}

function isEmpty({ words, angle }: Entry): boolean {
  return words.length === 0 && angle === null;
}

function readEntry({ words, angle, comment }: Entry): Mailbox | null {
  const path = readAddrSpec(angle === null ? words : dropRoute(angle));
  if (path === null) return null;
  return { name: readName(angle === null ? "" : phrase(words)) ?? readName(comment), address: path.canonical };
}

/** White space and comments between the parts are obsolete but allowed (§4.4), so the parts are simply joined. */
function readAddrSpec(tokens: readonly Token[]): MailPath | null {
  const at = tokens.findLastIndex(({ kind, text }) => kind === "special" && text === "@");
  if (at < 1 || at === tokens.length - 1 || tokens.length > 200) return null;
  if (tokens.some(({ kind, text }, index) => kind === "special" && (text !== "@" || index !== at))) return null;
  const local = joinWords(tokens.slice(0, at));
  const domain = joinWords(tokens.slice(at + 1));
  if (local === null || domain === null) return null;
  const isQuoted = tokens.slice(0, at).some(({ kind }) => kind === "quoted");
  try {
    return parseAddress(`${isQuoted ? quoteLocal(local) : local}@${domain}`);
  } catch (thrown) {
    if (thrown instanceof MailSyntaxError) return null;
    throw thrown;
  }
}

/** `null` when two words stand apart without a dot between them: not one address but several, or something else. */
function joinWords(tokens: readonly Token[]): string | null {
  let joined = "";
  for (const { text, hasSpaceBefore } of tokens) {
    if (hasSpaceBefore && joined !== "" && !joined.endsWith(".") && !text.startsWith(".")) return null;
    joined += text;
  }
  return joined;
}

/** `<@a.test,@b.test:ann@example.org>` (§4.4). */
function dropRoute(tokens: readonly Token[]): readonly Token[] {
  if (tokens[0]?.text !== "@" || tokens[0].kind !== "special") return tokens;
  return tokens.slice(tokens.findIndex(({ kind, text }) => kind === "special" && text === ":") + 1);
}

function phrase(tokens: readonly Token[]): string {
  return tokens.map(({ text, hasSpaceBefore }) => (hasSpaceBefore ? ` ${text}` : text)).join("");
}

function readName(text: string): string | null {
  const name = oneLine(decodeEncodedWords(text));
  return name === "" ? null : name;
}
