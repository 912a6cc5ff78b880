/** Streams the objects in the lists of a JSON text; a large file is never in memory as a whole. */
import { unreadableFile } from "./foreign-alias.ts";

export interface JsonElement {
  /** Member names down to the list, e.g. `tables.alias.rows`; empty at the top level. */
  path: string;
  value: Record<string, unknown>;
}

const ELEMENT_MAX_BYTES = 262_144;
const DEPTH_MAX = 32;
const NAME_MAX_BYTES = 256;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COLON = 0x3a;
const COMMA = 0x2c;

interface Level {
  isList: boolean;
  name: string;
}

const broken = () => unreadableFile("The file is not valid JSON.");

export class JsonElements {
  readonly #levels: Level[] = [];
  #inString = false;
  #escaped = false;
  /** Bytes of the current JSON string outside of elements. */
  #text: number[] = [];
  /** Last JSON string, which is a member's name if a colon follows. */
  #lastText = "";
  #hasEnded = false;
  #element: Uint8Array[] | null = null;
  #elementBytes = 0;
  #elementDepth = 0;

  /** @returns the elements completed by these bytes @throws AliasImportError `invalid` */
  push(chunk: Uint8Array): JsonElement[] {
    const found: JsonElement[] = [];
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const octet = chunk[at] as number;
      if (this.#inString) this.#readText(octet);
      else if (octet === QUOTE) this.#beginText();
      else if (this.#element !== null) {
        if (!this.#isElementEnd(octet)) continue;
        this.#keep(chunk.subarray(from, at + 1));
        found.push(this.#takeElement());
      } else if (octet === OPEN_BRACE && this.#levels.at(-1)?.isList === true) {
        this.#element = [];
        this.#elementDepth = 1;
        from = at;
      } else this.#readStructure(octet);
    }
    if (this.#element !== null) this.#keep(chunk.subarray(from));
    return found;
  }

  /** @throws AliasImportError `invalid` when the text is incomplete */
  end(): void {
    if (!this.#hasEnded || this.#levels.length > 0) throw broken();
  }

  #beginText(): void {
    this.#inString = true;
    this.#text = [];
  }

  #readText(octet: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (octet === BACKSLASH) this.#escaped = true;
    else if (octet === QUOTE) {
      this.#inString = false;
      if (this.#element === null) this.#lastText = String.fromCharCode(...this.#text);
      return;
    }
    if (this.#element === null && this.#text.length < NAME_MAX_BYTES) this.#text.push(octet);
  }

  /** @returns whether this byte ends the JSON element */
  #isElementEnd(octet: number): boolean {
    if (octet === OPEN_BRACE || octet === OPEN_BRACKET) {
      this.#elementDepth += 1;
      if (this.#elementDepth > DEPTH_MAX)
        throw unreadableFile("The file is nested too deeply to be a list of aliases.");
    } else if (octet === CLOSE_BRACE || octet === CLOSE_BRACKET) this.#elementDepth -= 1;
    return this.#elementDepth === 0;
  }

  #keep(part: Uint8Array): void {
    this.#elementBytes += part.length;
    if (this.#elementBytes > ELEMENT_MAX_BYTES)
      throw unreadableFile("An entry of the file is longer than 256 KiB, so this is not a list of aliases.");
    // Copied, because the stream may reuse the memory of a chunk.
    this.#element?.push(part.slice());
  }

  #takeElement(): JsonElement {
    const bytes = Buffer.concat(this.#element ?? []);
    this.#element = null;
    this.#elementBytes = 0;
    const path = this.#levels.flatMap((level) => (level.isList ? [] : [level.name])).join(".");
    return { path, value: parsed(bytes) };
  }

  #readStructure(octet: number): void {
    const level = this.#levels.at(-1);
    if (this.#hasEnded && octet > 0x20) throw broken();
    if (octet === OPEN_BRACE || octet === OPEN_BRACKET) {
      if (this.#levels.length >= DEPTH_MAX)
        throw unreadableFile("The file is nested too deeply to be a list of aliases.");
      this.#levels.push({ isList: octet === OPEN_BRACKET, name: "" });
    } else if (octet === CLOSE_BRACE || octet === CLOSE_BRACKET) {
      if (level?.isList !== (octet === CLOSE_BRACKET)) throw broken();
      this.#levels.pop();
      this.#hasEnded = this.#levels.length === 0;
    } else if (octet === COLON && level?.isList === false) level.name = this.#lastText;
    else if (octet > 0x20 && octet !== COMMA && level === undefined) throw broken();
  }
}

function parsed(bytes: Buffer): Record<string, unknown> {
  try {
    return JSON.parse(bytes.toString("utf8")) as Record<string, unknown>;
  } catch {
    throw broken();
  }
}
