/**
 * Parses address lists of header fields (RFC 5322 §3.4), obsolete forms and raw UTF-8 (RFC 6532) included. Never
 * throws: unreadable entries are counted and left out. One pass, without backtracking.
 */

import { decodeEncodedWords, oneLine } from "../header/encoded-word.ts";
import { MailSyntaxError } from "../mail-syntax-error.ts";
import { type MailPath, parseAddress, quoteLocal, readPlainAddress } from "./address.ts";
import { type Token, tokenizeAddresses } from "./address-tokens.ts";

export interface Mailbox {
  name: string | null;
  /** Domain in lower case, local part in the sender's spelling. */
  address: string;
}

export interface AddressList {
  mailboxes: Mailbox[];
  unreadCount: number;
  /** Number of entries in which another program may read a different address. */
  looseCount: number;
  isCut: boolean;
  cutCount: number;
}

/** Maximum entries of one field, so that a reply to all 1,000 recipients of a forwarded message is read whole. */
export const ADDRESSES_MAX = 1100;

const ATOM = "!#$%&'*+\\-./0-9=?A-Z^_`a-z{|}~";
const PLAIN_ADDRESS = `[${ATOM}]+@[${ATOM}]+`;
/** Matches a plain ASCII entry and its comma. Its alternatives begin differently, which keeps the time linear. */
const PLAIN_ENTRY = new RegExp(
  `(?:(?:[ \\t]*"([ !#-[\\]-~]*)"[ \\t]*|([ \\t${ATOM}]*))<(${PLAIN_ADDRESS})>|[ \\t]*(${PLAIN_ADDRESS}))[ \\t]*(?:,|$)`,
  "y",
);
const PLAIN_MAX = 500;

/** Maximum tokens of one entry, before and within its angle brackets each. */
const WORDS_MAX = 1000;

interface Entry {
  words: Token[];
  angle: Token[] | null;
  comment: string;
  /** Whether the angle brackets do not match, or text other than a comment follows them. */
  isLoose: boolean;
}

/** @example parseAddressList('"Lee, Ann" <ann@Example.ORG>') // [{ name: "Lee, Ann", address: "ann@example.org" }] */
export function parseAddressList(value: string): Mailbox[] {
  return readAddressList(value).mailboxes;
}

export function readAddressList(value: string): AddressList {
  const mailboxes = readPlainList(value);
  return mailboxes === null ? readAnyList(value) : { ...emptyList(), mailboxes };
}

function readPlainList(value: string): Mailbox[] | null {
  if (value.includes("=?")) return null;
  const mailboxes: Mailbox[] = [];
  PLAIN_ENTRY.lastIndex = 0;
  while (PLAIN_ENTRY.lastIndex < value.length) {
    const [whole, quoted, phrase, inAngle, bare] = PLAIN_ENTRY.exec(value) ?? [];
    const address = inAngle ?? bare;
    if (whole === undefined || address === undefined) return null;
    if (whole.length > PLAIN_MAX || mailboxes.length === ADDRESSES_MAX) return null;
    const path = readPlainAddress(address);
    if (path === null) return null;
    mailboxes.push({ name: readName(quoted ?? phrase ?? ""), address: path.canonical });
  }
  return mailboxes;
}

export function emptyList(): AddressList {
  return { mailboxes: [], unreadCount: 0, looseCount: 0, isCut: false, cutCount: 0 };
}

function readAnyList(value: string): AddressList {
  const list = emptyList();
  for (const entry of entries(value)) {
    if (list.mailboxes.length + list.unreadCount === ADDRESSES_MAX) {
      list.isCut = true;
      list.cutCount += 1;
      continue;
    }
    const mailbox = readEntry(entry);
    if (mailbox === null) list.unreadCount += 1;
    else list.mailboxes.push(mailbox);
    if (mailbox === null || entry.isLoose) list.looseCount += 1;
  }
  return list;
}

/** Splits at commas, and at semicolons, which end groups and which some programs write instead of commas. */
function* entries(value: string): Generator<Entry> {
  let entry = emptyEntry();
  let isInAngle = false;
  for (const token of tokenizeAddresses(value)) {
    if (token.kind === "comment") entry.comment ||= token.text;
    else if (isInAngle && token.text === ">" && token.kind === "special") isInAngle = false;
    else if (!isInAngle && entry.angle !== null && !isSeparator(token)) {
      // Only a comment may follow the closing bracket. Other programs may take a second address there for the real one.
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

/** Adds a token up to `WORDS_MAX`, more than any real name or address has. */
function addWord(words: Token[] | null, token: Token): void {
  if (words !== null && words.length < WORDS_MAX) words.push(token);
}

/** Inside brackets a comma ends the entry only if the closing bracket is missing: source routes contain commas. */
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

/** White space and comments between the parts are obsolete but allowed (§4.4). */
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

/** @returns `null` for two words without a dot between them, which are not one address */
function joinWords(tokens: readonly Token[]): string | null {
  let joined = "";
  for (const { text, hasSpaceBefore } of tokens) {
    if (hasSpaceBefore && joined !== "" && !joined.endsWith(".") && !text.startsWith(".")) return null;
    joined += text;
  }
  return joined;
}

/** Drops a source route as in `<@a.test,@b.test:ann@example.org>` (§4.4). */
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
