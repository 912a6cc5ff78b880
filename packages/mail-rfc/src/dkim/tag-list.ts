/**
 * Parses tag lists (RFC 6376 §3.2) of signatures, ARC fields and key records, leniently: names in any case, the last of
 * several tags with one name, empty parts. Published keys deviate from the syntax in these ways. Whether a list keeps
 * to the syntax is a question of its own.
 */
import { readDnsName } from "../address/dns-name.ts";
import { isLocalPart } from "../address/local-part.ts";
import { asciiLowerCase } from "../header/raw-fields.ts";

/** Tag values as written, by lower-case name; `null` for a name without `=` and value. */
export type Tags = ReadonlyMap<string, string | null>;

const WHITE_SPACE: ReadonlySet<string> = new Set([" ", "\t", "\r", "\n"]);
const TAG_NAME = /^[ \t\r\n]*([a-z][a-z0-9_]*)[ \t\r\n]*=/;
const NOT_BLANK = /[^ \t\r\n]/;

/** @param list the tag list in Unicode, e.g. the value of a field */
export function readTags(list: string): Tags {
  const tags = new Map<string, string | null>();
  const bare: string[] = [];
  for (const part of list.trim().split(";")) {
    const equals = part.indexOf("=");
    if (equals >= 0) tags.set(nameOf(part.slice(0, equals)), part.slice(equals + 1));
    else if (NOT_BLANK.test(part)) bare.push(part);
  }
  // The first part without `=` counts as a label of the list, as "DNS: TXT" in some records. Any further one is a tag.
  for (const name of bare.slice(1)) tags.set(nameOf(name), null);
  return tags;
}

/** Whether a list keeps to the syntax: each part has a name and a value, no name occurs twice, and names are lower case. */
export function isTagList(list: string): boolean {
  const parts = list.split(";");
  const names = parts.map((part) => TAG_NAME.exec(part)?.[1]);
  // The list may end with a semicolon.
  if (parts.length > 1 && !NOT_BLANK.test(parts.at(-1) ?? "")) names.pop();
  return !names.includes(undefined) && new Set(names).size === names.length;
}

/** @returns a tag's value as written, without the white space around it; empty when the tag is absent */
export function tagValue(tags: Tags, name: string): string {
  return unpadded(tags.get(name) ?? "");
}

/** @returns a tag's value in one line; empty when the tag is absent */
export function tagText(tags: Tags, name: string): string {
  return (tags.get(name) ?? "").replace(/\s+/g, " ").trim();
}

/** @returns the value, without white space, of a tag in which white space means nothing (`b`, `bh`, `p`, `h`) */
export function packedTag(tags: Tags, name: string): string {
  return (tags.get(name) ?? "").replace(/\s+/g, "");
}

/**
 * Reads a tag whose value is part of a DNS name (`d`, `s`). Only the white space that may surround it (RFC 6376 §3.2) is
 * dropped: any other character must be one of the name.
 * @returns the name in A-labels and lower case; `null` when the tag is absent or is not looked up in DNS
 */
export function dnsNameTag(tags: Tags, name: string): string | null {
  return readDnsName(tagValue(tags, name));
}

/**
 * Reads the domain of a signature's identity (`i=`), whose local part may be missing.
 * @returns the domain as by `dnsNameTag`; `null` when the tag is no address of such a domain
 */
export function identityDomainTag(tags: Tags): string | null {
  const value = tagValue(tags, "i");
  const at = value.lastIndexOf("@");
  return at === 0 || isLocalPart(value.slice(0, Math.max(at, 0))) ? readDnsName(value.slice(at + 1)) : null;
}

/** Drops the white space around a tag's value, with its folds (RFC 6376 §3.2). */
function unpadded(value: string): string {
  let [from, to] = [0, value.length];
  while (from < to && WHITE_SPACE.has(value.charAt(from))) from += 1;
  while (from < to && WHITE_SPACE.has(value.charAt(to - 1))) to -= 1;
  return value.slice(from, to);
}

/** @returns the names in an `h=` tag, in lower case; `null` when the tag is absent */
export function namesTag(tags: Tags): string[] | null {
  if (!tags.has("h")) return null;
  return asciiLowerCase(packedTag(tags, "h"))
    .split(":")
    .filter((name) => name !== "");
}

/** @returns the members of a colon-separated list, in lower case, without empty ones */
export function listOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(":")
    .map((member) => member.trim())
    .filter((member) => member !== "");
}

function nameOf(text: string): string {
  return text.replace(/\s+/g, " ").trim().toLowerCase();
}
