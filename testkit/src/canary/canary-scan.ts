/**
 * Searches files and texts for words planted as canaries, in eight encodings. Every word of one run begins with the
 * same random marker, so that one search per encoding finds all of them. Values that the test cannot choose (a session
 * token, an IP address) are searched one by one.
 */
import { randomBytes } from "node:crypto";
import type { Dirent } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";

export interface Finding {
  /** Where the canary was found: path of the file relative to the scanned directory, or name of the text. */
  where: string;
  offset: number;
  encoding: Encoding;
  /** Label of the canary, if it is known. */
  label: string;
}

const percent = (hex: string) => hex.replace(/../g, "%$&");
const quoted = (hex: string) => hex.replace(/../g, "=$&");
/**
 * Base64 characters that depend on no bytes but the word's, when `before` unknown bytes precede it in its group of
 * three.
 */
const base64At = (word: Buffer, before: number) => {
  const text = Buffer.concat([Buffer.alloc(before), word])
    .toString("base64")
    .replace(/=+$/, "");
  const unknownAtStart = Math.ceil((before * 8) / 6);
  const shared = (before + word.length) % 3;
  return text.slice(unknownAtStart, shared === 0 ? undefined : -1);
};
const urlSafe = (base64: string) => base64.replaceAll("+", "-").replaceAll("/", "_");
const both = (form: (hex: string) => string) => (word: Buffer) => {
  const hex = word.toString("hex");
  return [form(hex), form(hex.toUpperCase())];
};
const base64Forms = (before: number) => (word: Buffer) => {
  const text = base64At(word, before);
  return [text, urlSafe(text)];
};

/** For each encoding, the texts in which a word may appear. */
export const encodings = {
  "utf-8": (word: Buffer) => [word.toString("utf8"), word.toString("utf8").toUpperCase()],
  "utf-16le": (word: Buffer) => [Buffer.from(word.toString("utf8"), "utf16le").toString("latin1")],
  hex: both((hex) => hex),
  url: both(percent),
  "quoted-printable": both(quoted),
  "base64 at 0": base64Forms(0),
  "base64 at 1": base64Forms(1),
  "base64 at 2": base64Forms(2),
} satisfies Record<string, (word: Buffer) => string[]>;

export type Encoding = keyof typeof encodings;

interface Needle {
  encoding: Encoding;
  bytes: Buffer;
  /** Label of the canary; `null` for the marker that all words share. */
  label: string | null;
}

export class Canaries {
  readonly marker = `zq${randomBytes(5).toString("hex")}`;
  readonly #words = new Map<string, string>();
  readonly #others = new Map<string, string>();
  /** Encoded values to search for; `null` when they must be computed again. */
  #needles: readonly Needle[] | null = null;

  /** Makes a new word, e.g. `zq0123456789-subject`: letters, digits and hyphens, which are valid nearly everywhere. */
  word(label: string): string {
    const word = `${this.marker}-${label}`;
    this.#words.set(label, word);
    return word;
  }

  /** Adds a value that was not chosen by the test, of at least eight characters. */
  watch(label: string, value: string): void {
    if (value.length < 8) throw new Error(`${label} is too short to be looked for`);
    this.#others.set(label, value);
    this.#needles = null;
  }

  get labels(): string[] {
    return [...this.#words.keys(), ...this.#others.keys()];
  }

  /** @returns every canary in `bytes` */
  find(bytes: Buffer, where: string): Finding[] {
    const written = writtenParts(bytes);
    this.#needles ??= this.#makeNeedles();
    return this.#needles.flatMap(({ encoding, bytes: needle, label }) => {
      const found: Finding[] = [];
      for (const { begin, end } of written) {
        const part = bytes.subarray(begin, end);
        for (let at = part.indexOf(needle); at >= 0; at = part.indexOf(needle, at + 1)) {
          const offset = begin + at;
          found.push({ where, offset, encoding, label: label ?? this.#labelAt(bytes, offset, encoding) });
        }
      }
      return found;
    });
  }

  /** Searches all files below these directories for canaries. */
  async scan(directories: readonly string[]): Promise<{ findings: Finding[]; files: number; bytes: number }> {
    const findings: Finding[] = [];
    let files = 0;
    let total = 0;
    for (const directory of directories) {
      for (const path of await filesIn(directory)) {
        const bytes = await readUnlessGone(path);
        if (bytes === null) continue;
        files++;
        total += bytes.length;
        const where = relative(directory, path);
        findings.push(...this.find(bytes, where), ...this.find(Buffer.from(where), `name of ${where}`));
      }
    }
    return { findings, files, bytes: total };
  }

  #makeNeedles(): Needle[] {
    const forms = (word: string, label: string | null) =>
      (Object.keys(encodings) as Encoding[]).flatMap((encoding) =>
        [...new Set(encodings[encoding](Buffer.from(word)))].map((text) => {
          return { encoding, bytes: Buffer.from(text, "latin1"), label };
        }),
      );
    return [...forms(this.marker, null), ...[...this.#others].flatMap(([label, value]) => forms(value, label))];
  }

  #labelAt(bytes: Buffer, at: number, encoding: Encoding): string {
    const context = bytes.subarray(at, at + 400).toString("latin1");
    const longestFirst = [...this.#words].sort(([, a], [, b]) => b.length - a.length);
    const fits = ([, word]: [string, string]) =>
      encodings[encoding](Buffer.from(word)).some((text) => context.startsWith(text.slice(0, -1)));
    return longestFirst.find(fits)?.[0] ?? "?";
  }
}

const ZERO_PAGE = Buffer.alloc(8192);

/**
 * Skips pages of zeros that a database has reserved, since no word can begin in them. The first zero of such a page is
 * included in the preceding part, because a word in UTF-16 may end with it.
 */
function writtenParts(bytes: Buffer): { begin: number; end: number }[] {
  const parts: { begin: number; end: number }[] = [];
  for (let at = 0; at < bytes.length; at += ZERO_PAGE.length) {
    const end = Math.min(at + ZERO_PAGE.length, bytes.length);
    if (bytes.compare(ZERO_PAGE, 0, end - at, at, end) === 0) continue;
    const last = parts.at(-1);
    if (last !== undefined && last.end >= at) last.end = Math.min(end + 1, bytes.length);
    else parts.push({ begin: at, end: Math.min(end + 1, bytes.length) });
  }
  return parts;
}

/**
 * Reads a file.
 * @returns `null` for a file that the running server has deleted since the directory was listed, e.g. of a delivered
 * message
 */
export async function readUnlessGone(path: string): Promise<Buffer | null> {
  return await readFile(path).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === "ENOENT") return null;
    throw thrown;
  });
}

async function filesIn(directory: string): Promise<string[]> {
  const entries: Dirent[] = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
