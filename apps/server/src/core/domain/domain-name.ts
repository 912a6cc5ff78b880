/** Reads the name of a domain that a person wants to use as an own one. */
import { domainToASCII, domainToUnicode } from "node:url";
import { limits } from "@kauke/contract";
import { registrableDomain } from "../../limits/party.ts";

export type ReadDomainName =
  | { kind: "read"; domain: string }
  /** `suffix`: a public suffix, such as `co.uk`; `of_server`: a name of this server, above or below one. */
  | { kind: "invalid" | "suffix" | "of_server" };

/** Room for the longest alias name and the "@". */
const NAME_MAX = limits.emailMax - limits.aliasNameMax - 1;
/** Last part of an IP address, as which a URL's host is read. */
const NUMBER = /^\d+$/;
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;
/** Characters at which a URL's host ends, or which its parser decodes or leaves out. */
const NO_NAME = /[\s\p{Cc}%/\\?#@:[\]]/u;

/**
 * Maps a name to A-labels in lower case (UTS #46).
 * @param serverNames names that this server answers to, in lower case
 * @example readDomainName("Ąžuolas.LT.", []) // { kind: "read", domain: "xn--uolas-2wa16f.lt" }
 */
export function readDomainName(text: string, serverNames: readonly string[]): ReadDomainName {
  const given = text.trim();
  const domain = NO_NAME.test(given) ? "" : domainToASCII(given).toLowerCase().replace(/\.$/, "");
  if (!isDomainName(domain)) return { kind: "invalid" };
  if (serverNames.some((name) => isSameOrWithin(domain, name) || isSameOrWithin(name, domain)))
    return { kind: "of_server" };
  return registrableDomain(domain) === null ? { kind: "suffix" } : { kind: "read", domain };
}

function isDomainName(name: string): boolean {
  const labels = name.split(".");
  if (name.length > NAME_MAX || labels.length < 2 || NUMBER.test(labels.at(-1) ?? "")) return false;
  // A label that is no Punycode stays as it is.
  const shown = domainToUnicode(name).split(".");
  return labels.every((label) => LABEL.test(label)) && !shown.some((label) => label.startsWith("xn--"));
}

const isSameOrWithin = (name: string, other: string): boolean => name === other || name.endsWith(`.${other}`);
