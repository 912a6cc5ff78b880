/** Tag lists (RFC 6376 §3.2), read leniently as published keys require. */

import { isLocalPart } from "../address/address.ts";
import { readDnsName } from "../address/dns-name.ts";
import { asciiLowerCase } from "../header/raw-fields.ts";

export type Tags = ReadonlyMap<string, string | null>;

const WHITE_SPACE: ReadonlySet<string> = new Set([" ", "\t", "\r", "\n"]);
const TAG_NAME = /^[ \t\r\n]*([a-z][a-z0-9_]*)[ \t\r\n]*=/;
const NOT_BLANK = /[^ \t\r\n]/;

export function readTags(list: string): Tags {
  const tags = new Map<string, string | null>();
  const bare: string[] = [];
  for (const part of list.trim().split(";")) {
    const equals = part.indexOf("=");
    if (equals >= 0) tags.set(nameOf(part.slice(0, equals)), part.slice(equals + 1));
    else if (NOT_BLANK.test(part)) bare.push(part);
  }
  // The first part without `=` is a label, as "DNS: TXT" in some records; any further one is a tag.
  for (const name of bare.slice(1)) tags.set(nameOf(name), null);
  return tags;
}

/** Whether every part has a name and a value, no name occurs twice, and all are lower case. */
export function isTagList(list: string): boolean {
  const parts = list.split(";");
  const names = parts.map((part) => TAG_NAME.exec(part)?.[1]);
  if (parts.length > 1 && !NOT_BLANK.test(parts.at(-1) ?? "")) names.pop();
  return !names.includes(undefined) && new Set(names).size === names.length;
}

export function tagValue(tags: Tags, name: string): string {
  return unpadded(tags.get(name) ?? "");
}

export function tagText(tags: Tags, name: string): string {
  return (tags.get(name) ?? "").replace(/\s+/g, " ").trim();
}

/** Value of a tag in which white space means nothing (`b`, `bh`, `p`, `h`). */
export function packedTag(tags: Tags, name: string): string {
  return (tags.get(name) ?? "").replace(/\s+/g, "");
}

/** `d` or `s` as a DNS name. Only white space around it is dropped; `null` when it is absent or not looked up. */
export function dnsNameTag(tags: Tags, name: string): string | null {
  return readDnsName(tagValue(tags, name));
}

/** Domain of `i=`, whose local part may be missing; `null` for anything else. */
export function identityDomainTag(tags: Tags): string | null {
  const value = tagValue(tags, "i");
  const at = value.lastIndexOf("@");
  return at === 0 || isLocalPart(value.slice(0, Math.max(at, 0))) ? readDnsName(value.slice(at + 1)) : null;
}

function unpadded(value: string): string {
  let [from, to] = [0, value.length];
  while (from < to && WHITE_SPACE.has(value.charAt(from))) from += 1;
  while (from < to && WHITE_SPACE.has(value.charAt(to - 1))) to -= 1;
  return value.slice(from, to);
}

export function namesTag(tags: Tags): string[] | null {
  if (!tags.has("h")) return null;
  return asciiLowerCase(packedTag(tags, "h"))
    .split(":")
    .filter((name) => name !== "");
}

export function membersOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(":")
    .map((member) => member.trim())
    .filter((member) => member !== "");
}

function nameOf(text: string): string {
  return text.replace(/\s+/g, " ").trim().toLowerCase();
}
