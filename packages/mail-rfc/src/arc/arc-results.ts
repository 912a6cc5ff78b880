/**
 * Parses ARC-Authentication-Results (RFC 8617 §4.1.1) and Authentication-Results, in the grammar of RFC 8601 §2.2, with
 * comments and quoted strings.
 */
import { readDnsName } from "../address/dns-name.ts";

const PLAIN = /[^;=\\("]+/y;
const IN_COMMENT = /[^\\()]+/y;
const IN_QUOTES = /[^\\"]+/y;
const WORDS = /(?:"(?:[^"\\]|\\.)*"|[^ "])+/gs;

/** Texts of the `name=text` parts by lower-case name, without comments; the last of several with one name. */
export function readArcResults(value: string): Map<string, string> {
  const parts = new Map<string, string>();
  let hasServer = false;
  for (const { name, text, hasEquals } of partsOf(value)) {
    if (name === "") continue;
    if (!hasServer && !hasEquals) hasServer = true;
    else parts.set(name, text);
  }
  return parts;
}

/** Domain for which the field states `dmarc=pass`, in A-labels; empty unless it states exactly one. */
export function dmarcPassAuthor(value: string): string {
  const results = [...partsOf(value)].filter(({ name }) => name.split("/", 1)[0]?.trim() === "dmarc");
  const [result, ...properties] = (results[0]?.text ?? "").match(WORDS) ?? [];
  const domains = properties.filter((word) => /^header\.from=/i.test(word)).map(valueOf);
  if (results.length !== 1 || result !== "pass" || domains.length !== 1) return "";
  return readDnsName(domains[0] ?? "") ?? "";
}

/** What a host states about one method, e.g. `dkim=pass header.d=a.example`. */
export interface StatedResult {
  method: string;
  result: string;
  /** By lower-case name; the first of several with one name. */
  properties: ReadonlyMap<string, string>;
}

/** @returns `host` in lower case; empty when the field names none, as that of Exchange Online */
export function readAuthenticationResults(value: string): { host: string; results: StatedResult[] } {
  const results: StatedResult[] = [];
  let host = "";
  for (const { name, text, hasEquals } of partsOf(value)) {
    const [method = ""] = name.split(/[ /]/, 1);
    if (hasEquals) results.push({ method, ...statedIn(text) });
    else if (host === "" && results.length === 0) host = method;
  }
  return { host, results };
}

function statedIn(text: string): Omit<StatedResult, "method"> {
  const [result = "", ...words] = text.toLowerCase().split(" ");
  const properties = new Map<string, string>();
  for (const word of words) {
    const equals = word.indexOf("=");
    const name = word.slice(0, Math.max(0, equals));
    if (name !== "" && !properties.has(name)) properties.set(name, valueOf(word));
  }
  return { result, properties };
}

function valueOf(property: string): string {
  return property.slice(property.indexOf("=") + 1).replace(/^"([^"\\]*)"$/, "$1");
}

interface Part {
  name: string;
  text: string;
  hasEquals: boolean;
}

function* partsOf(value: string): Generator<Part> {
  const reader = new PartReader(value);
  while (!reader.isAtEnd) yield reader.next();
}

class PartReader {
  readonly #value: string;
  #at = 0;

  constructor(value: string) {
    this.#value = value;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#value.length;
  }

  next(): Part {
    let name = "";
    let text = "";
    let hasEquals = false;
    for (let char = this.#peek(); char !== "" && char !== ";"; char = this.#peek()) {
      const piece = this.#piece(char, hasEquals);
      if (piece === null) hasEquals = true;
      else if (hasEquals) text += piece;
      else name += piece;
    }
    this.#at += 1;
    return { name: inOneLine(name).toLowerCase(), text: inOneLine(text), hasEquals };
  }

  #piece(char: string, hasEquals: boolean): string | null {
    switch (char) {
      case "(":
        this.#skipComment();
        return "";
      case '"':
        return this.#quoted();
      case "\\":
        return this.#escaped();
      case "=":
        this.#at += 1;
        return hasEquals ? "=" : null;
      default:
        return this.#run(PLAIN);
    }
  }

  #peek(): string {
    return this.#value.charAt(this.#at);
  }

  #run(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [run = ""] = pattern.exec(this.#value) ?? [];
    this.#at += run.length;
    return run;
  }

  #escaped(): string {
    this.#at += 2;
    return this.#value.charAt(this.#at - 1);
  }

  #skipComment(): void {
    let depth = 0;
    do {
      const char = this.#peek();
      if (char === "(") depth += 1;
      else if (char === ")") depth -= 1;
      if (char === "\\") this.#at += 2;
      else if (char === "(" || char === ")") this.#at += 1;
      else this.#run(IN_COMMENT);
    } while (depth > 0 && !this.isAtEnd);
  }

  #quoted(): string {
    const start = this.#at;
    this.#at += 1;
    for (let char = this.#peek(); char !== "" && char !== '"'; char = this.#peek()) {
      if (char === "\\") this.#at += 2;
      else this.#run(IN_QUOTES);
    }
    this.#at += 1;
    return this.#value.slice(start, this.#at);
  }
}

function inOneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
