/**
 * Converts the U-labels of a domain name to A-labels (RFC 5890 §2.3.2.1) by Punycode (RFC 3492), as RFC 8616 requires
 * for domains in DKIM, ARC and DMARC. Unlike `domainToASCII` of node:url it refuses no label, and maps none except to
 * lower case and Unicode's form NFC, so that different names stay different; a name that cannot exist is not found.
 */

const NON_ASCII = /[^\0-\u{7f}]/u;
/** Characters other than "." that separate the labels of a domain name in Unicode (RFC 5895 §2). */
const FULL_STOPS = /[\u{3002}\u{ff0e}\u{ff61}]/u;
/** Maximum characters of a label that is converted; a longer one is no DNS name (RFC 1035 §2.3.4). */
const LABEL_MAX = 63;

// Parameters of Punycode (RFC 3492 §5).
const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;
const SKEW = 38;
const DAMP = 700;
const FIRST_BIAS = 72;
const FIRST_CODE = 0x80;

/** @example toALabels("bücher.example") // "xn--bcher-kva.example" */
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

/** Encodes code points as in RFC 3492 §6.3. Its cost is the square of the length, which `LABEL_MAX` bounds. */
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
