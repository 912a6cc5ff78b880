/**
 * The names that are looked up in DNS: labels of 1 to 63 letters, digits, hyphens and underscores, 253 octets in all
 * (RFC 1035 §2.3.4), without a final dot. Other names can exist in DNS, but none that mail depends on, and a resolver
 * written in C reads some of them as another name: it ends a name at a NUL and resolves escapes after a backslash.
 */
import { toALabels } from "./a-label.ts";

const LABEL = "[A-Za-z0-9_-]{1,63}";
const NAME = new RegExp(`^(?=.{1,253}$)${LABEL}(?:\\.${LABEL})*$`);
/**
 * Matches what no U-label contains and `toALabels` would convert: the character for octets that are not UTF-8, and full
 * stops other than ".", which not every program takes for one.
 */
const NO_LABEL = /[\u{fffd}\u{3002}\u{ff0e}\u{ff61}]/u;

/** @param name A-labels in any case; U-labels are refused */
export function isDnsName(name: string): boolean {
  return NAME.test(name);
}

/**
 * Reads a domain or selector that a stranger wrote, with U-labels or A-labels (RFC 8616).
 * @returns the name in A-labels and lower case; `null` if it is not looked up in DNS
 * @example readDnsName("Bücher.example") // "xn--bcher-kva.example"
 */
export function readDnsName(text: string): string | null {
  const name = toALabels(text);
  return isDnsName(name) && !NO_LABEL.test(text) ? name.toLowerCase() : null;
}
