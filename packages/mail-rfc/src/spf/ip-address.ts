/** IP addresses as 32-bit words, for SPF (RFC 7208 §5.6, §7.3). Every parser takes one pass. */

export interface IpAddress {
  family: 4 | 6;
  /** Words of 32 bits, the most significant first. */
  words: readonly number[];
}

const [ZERO, NINE, COLON, DOT] = [0x30, 0x39, 0x3a, 0x2e];
const GROUPS = 8;

export function parseIpAddress(text: string): IpAddress | null {
  if (text.includes(":")) return parseIpv6(text);
  const word = parseIpv4(text, 0);
  return word === null ? null : { family: 4, words: [word] };
}

/** Parses an address as node:net gives it; IPv4-mapped IPv6 becomes IPv4 (RFC 7208 §5). */
export function parseClientAddress(text: string): IpAddress | null {
  const zone = text.indexOf("%");
  const address = parseIpAddress(zone < 0 || !text.includes(":") ? text : text.slice(0, zone));
  const [high, next, mark, low = 0] = address?.words ?? [];
  return high === 0 && next === 0 && mark === 0xffff ? { family: 4, words: [low] } : address;
}

/** Whether a network contains an address; those of different families never match. */
export function isInNetwork(address: IpAddress, network: IpAddress, prefix: number): boolean {
  if (address.family !== network.family) return false;
  let left = prefix;
  for (let at = 0; left > 0; at += 1) {
    const differing = (address.words[at] ?? 0) ^ (network.words[at] ?? 0);
    // A JavaScript shift by 32 bits is a shift by 0.
    if ((left < 32 ? differing >>> (32 - left) : differing) !== 0) return false;
    left -= 32;
  }
  return true;
}

/** Value of the macro `i`: IPv6 as 32 hexadecimal digits with dots. */
export function dottedAddress({ family, words }: IpAddress): string {
  return family === 6 ? nibbles(words).join(".") : octets(words).join(".");
}

/** The name of PTR records, e.g. `1.2.0.192.in-addr.arpa`. */
export function pointerName({ family, words }: IpAddress): string {
  if (family === 6) return `${nibbles(words).reverse().join(".")}.ip6.arpa`;
  return `${octets(words).reverse().join(".")}.in-addr.arpa`;
}

const octets = ([word = 0]: readonly number[]) => [word >>> 24, (word >>> 16) & 255, (word >>> 8) & 255, word & 255];
const nibbles = (words: readonly number[]) => [...words.map((word) => word.toString(16).padStart(8, "0")).join("")];

/** Parses a dotted quad without leading zeros (RFC 7208 §5.6). */
function parseIpv4(text: string, start: number): number | null {
  if (text.length - start > 15) return null;
  let word = 0;
  let part = 0;
  let digits = 0;
  let dots = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === DOT) {
      if (digits === 0 || dots === 3) return null;
      word = word * 256 + part;
      part = 0;
      digits = 0;
      dots += 1;
    } else {
      if (code < ZERO || code > NINE || (digits > 0 && part === 0)) return null;
      part = part * 10 + code - ZERO;
      digits += 1;
      if (part > 255) return null;
    }
  }
  return digits === 0 || dots !== 3 ? null : word * 256 + part;
}

function parseIpv6(text: string): IpAddress | null {
  const groups: number[] = [];
  let gap = -1;
  let at = 0;
  if (text.startsWith("::")) {
    gap = 0;
    at = 2;
  }
  while (at < text.length) {
    if (groups.length === GROUPS) return null;
    const end = endOfGroup(text, at);
    if (text.charCodeAt(end) === DOT) {
      const word = parseIpv4(text, at);
      if (word === null) return null;
      groups.push(word >>> 16, word & 0xffff);
      break;
    }
    if (end === at || end - at > 4) return null;
    groups.push(Number.parseInt(text.slice(at, end), 16));
    at = end;
    if (at === text.length) break;
    if (text.charCodeAt(at) !== COLON) return null;
    at += 1;
    if (at === text.length) return null;
    if (text.charCodeAt(at) === COLON) {
      if (gap >= 0) return null;
      gap = groups.length;
      at += 1;
    }
  }
  return wordsOf(groups, gap);
}

function endOfGroup(text: string, start: number): number {
  let at = start;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at) | 0x20;
    const isDigit = text.charCodeAt(at) >= ZERO && text.charCodeAt(at) <= NINE;
    if (!isDigit && (code < 0x61 || code > 0x66)) break;
  }
  return at;
}

/** @param gap number of groups before `::`; -1 without it */
function wordsOf(groups: number[], gap: number): IpAddress | null {
  if (gap < 0 ? groups.length !== GROUPS : groups.length >= GROUPS) return null;
  if (gap >= 0) groups.splice(gap, 0, ...Array<number>(GROUPS - groups.length).fill(0));
  const words: number[] = [];
  for (let at = 0; at < GROUPS; at += 2) words.push((groups[at] ?? 0) * 0x10000 + (groups[at + 1] ?? 0));
  return { family: 6, words };
}
