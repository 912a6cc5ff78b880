/** Finds the owner's mailboxes in a text as it is written, so that they can be replaced in place. */

import { splitAddress } from "./address.ts";
import { spellingsOfDomain } from "./dns-name.ts";

export interface MailboxOwner {
  aliasAddress: string;
  mailboxes: readonly string[];
  isOwnMailbox: (address: string) => boolean;
}

export interface Span {
  start: number;
  end: number;
}

/** Placeholder for the owner's address in texts in which it is marked (`marked`). */
export const OWN = "\u0001";

const AT = "@|&#64;|&#x40;|&commat;|%40";
/** Characters examined before the "@": twice the longest local part (RFC 5321 §4.5.3.1.1). */
const BEFORE_MAX = 128;
const LOCAL_PART = /$(?<=([^\s<>()[\]:;,"@\\&%=/?\p{Cc}]*))/u;
const SYNTAX = /[\\^$.*+?()[\]{}|/]/g;
/** Quotation and markup characters before an address, although a local part may contain some of them. */
const MARKS_IN_FRONT = /^['’‘“„«*_`{|]+/;

export class OwnAddresses {
  readonly #pattern: RegExp | null;
  readonly #isOwn: MailboxOwner["isOwnMailbox"];

  constructor({ mailboxes, isOwnMailbox }: MailboxOwner) {
    const domains = new Set(mailboxes.flatMap(domainsOf));
    const any = [...domains].map((domain) => domain.replace(SYNTAX, "\\$&")).join("|");
    this.#pattern = any === "" ? null : new RegExp(`(?:${AT})(${any})(?![\\p{L}\\p{N}]|[.-][\\p{L}\\p{N}])`, "giu");
    this.#isOwn = isOwnMailbox;
  }

  /** Finds the owner's mailboxes in order, each with its `+tag`, in linear time. */
  *find(text: string, from = 0, to = text.length): Generator<Span> {
    if (this.#pattern === null) return;
    const range = from === 0 && to === text.length ? text : text.slice(from, to);
    for (const match of range.matchAll(this.#pattern)) {
      const before = range.slice(Math.max(0, match.index - BEFORE_MAX), match.index);
      const local = (LOCAL_PART.exec(before)?.[1] ?? "").replace(MARKS_IN_FRONT, "");
      if (local === "" || !this.#isOwn(`${local}@${match[1]}`)) continue;
      yield { start: from + match.index - local.length, end: from + match.index + match[0].length };
    }
  }

  marked(text: string, mark: string): string {
    let marked = "";
    let at = 0;
    for (const { start, end } of this.find(text)) {
      marked += text.slice(at, start) + mark;
      at = end;
    }
    return marked + text.slice(at);
  }
}

function domainsOf(address: string): readonly string[] {
  const { local, domain } = splitAddress(address.trim().normalize("NFKC").toLowerCase());
  return local === "" ? [] : spellingsOfDomain(domain);
}
