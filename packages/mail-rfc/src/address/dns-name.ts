/**
 * Names that are looked up in DNS (RFC 1035 §2.3.4). A resolver in C reads others as another name: it ends a name at a
 * NUL and resolves escapes after a backslash.
 */
import { domainToASCII, domainToUnicode } from "node:url";

const LABEL = "[A-Za-z0-9_-]{1,63}";
const NAME = new RegExp(`^(?=.{1,253}$)${LABEL}(?:\\.${LABEL})*$`);
/** Characters of no label: U+FFFD is no UTF-8, and not every program takes the other full stops for one. */
const NO_LABEL = /[\u{fffd}\u{3002}\u{ff0e}\u{ff61}]/u;

export function isDnsName(name: string): boolean {
  return NAME.test(name);
}

/**
 * Reads a domain that a stranger wrote (RFC 8616); `null` if it is not looked up in DNS.
 * @example readDnsName("Bücher.example") // "xn--bcher-kva.example"
 */
export function readDnsName(text: string): string | null {
  const name = toALabels(text);
  return isDnsName(name) && !NO_LABEL.test(text) ? name.toLowerCase() : null;
}

const gmail = ["gmail.com", "googlemail.com"];

/** Both of Google's mail domains deliver to the same mailbox, whatever dots its local part has. */
export const isGmail = (domain: string): boolean => gmail.includes(domain);

/** The domain as given, in ASCII and in Unicode; at Gmail both of its domains. @param domain in lower case and NFKC */
export function spellingsOfDomain(domain: string): readonly string[] {
  const forms = isGmail(domain) ? gmail : [domain, domainToASCII(domain), domainToUnicode(domain)];
  return [...new Set(forms.filter((form) => form !== ""))];
}

const NON_ASCII = /[^\0-\u{7f}]/u;
/** Characters other than "." that separate the labels of a domain name in Unicode (RFC 5895 §2). */
const FULL_STOPS = /[\u{3002}\u{ff0e}\u{ff61}]/u;
const LABEL_MAX = 63;

const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;
const SKEW = 38;
const DAMP = 700;
const FIRST_BIAS = 72;
const FIRST_CODE = 0x80;

/**
 * Unlike `domainToASCII` it refuses no label and maps only case and NFC, so that different names stay different.
 * @example toALabels("bücher.example") // "xn--bcher-kva.example"
 */
export function toALabels(domain: string): string {
  if (!NON_ASCII.test(domain)) return domain;
  return domain
    .split(".")
    .map((label) => (NON_ASCII.test(label) && label.length <= LABEL_MAX ? aLabel(label) : label))
    .join(".");
}

function aLabel(label: string): string {
  return label
    .normalize("NFC")
    .toLowerCase()
    .split(FULL_STOPS)
    .map((part) => (NON_ASCII.test(part) ? `xn--${punycode(codePoints(part))}` : part))
    .join(".");
}

const codePoints = (text: string): number[] => Array.from(text, (char) => char.codePointAt(0) ?? 0);

/** Punycode (RFC 3492 §6.3). The cost is the square of the length, which `LABEL_MAX` bounds. */
function punycode(codes: readonly number[]): string {
  let text = String.fromCharCode(...codes.filter((code) => code < FIRST_CODE));
  const basicCount = text.length;
  if (basicCount > 0) text += "-";
  let done = basicCount;
  let bias = FIRST_BIAS;
  let delta = 0;
  for (let last = FIRST_CODE; done < codes.length; ) {
    const next = Math.min(...codes.filter((code) => code >= last));
    delta += (next - last) * (done + 1);
    for (const code of codes) {
      if (code < next) delta += 1;
      if (code !== next) continue;
      text += variableLength(delta, bias);
      bias = adapted({ delta, count: done + 1, isFirst: done === basicCount });
      delta = 0;
      done += 1;
    }
    delta += 1;
    last = next + 1;
  }
  return text;
}

function variableLength(delta: number, bias: number): string {
  let text = "";
  let rest = delta;
  for (let k = BASE; ; k += BASE) {
    const threshold = Math.min(Math.max(k - bias, T_MIN), T_MAX);
    if (rest < threshold) return text + digit(rest);
    text += digit(threshold + ((rest - threshold) % (BASE - threshold)));
    rest = Math.floor((rest - threshold) / (BASE - threshold));
  }
}

function adapted({ delta, count, isFirst }: { delta: number; count: number; isFirst: boolean }): number {
  let rest = Math.floor(delta / (isFirst ? DAMP : 2));
  rest += Math.floor(rest / count);
  let k = 0;
  for (; rest > ((BASE - T_MIN) * T_MAX) / 2; k += BASE) rest = Math.floor(rest / (BASE - T_MIN));
  return k + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + SKEW));
}

const digit = (value: number): string => DIGITS[value] ?? "";
/** The digits of Punycode: letters first, unlike those of `toString(36)`. */
const DIGITS = "abcdefghijklmnopqrstuvwxyz0123456789";
