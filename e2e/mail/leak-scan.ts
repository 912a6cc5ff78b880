/**
 * Searches everything a server has written, its data directory and its output, for words in the encodings in which they
 * could be stored. Sealed data matches none of them.
 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { readUnlessGone } from "@kauke/testkit/canary/canary-scan";

/** A word that was found, e.g. `{ word: "jonas@inbox.example", as: "base64", where: "pgdata/base/5/16384" }` */
export interface Leak {
  word: string;
  as: string;
  where: string;
}

/** The texts that a word becomes in each encoding. */
export const scannedEncodings: Readonly<Record<string, (word: string) => string[]>> = {
  plain: (word) => [word],
  "other case": (word) => [word.toUpperCase(), word.toLowerCase()],
  "UTF-16": (word) => [Buffer.from(word, "utf16le").toString("latin1"), bigEndian(word)],
  base64: (word) => shifted(word, "base64"),
  base64url: (word) => shifted(word, "base64url"),
  hex: (word) => [Buffer.from(word).toString("hex"), Buffer.from(word).toString("hex").toUpperCase()],
  "URL encoding": (word) => [encodeURIComponent(word), encodeURIComponent(word).toLowerCase()],
  "JSON escapes": (word) => [escaped(word, (code) => `\\u${code.toString(16).padStart(4, "0")}`)],
  "quoted-printable": (word) => [escaped(word, (code) => `=${code.toString(16).toUpperCase().padStart(2, "0")}`)],
  backwards: (word) => [[...word].reverse().join("")],
};

/** @param words words to search for, at least eight characters each: shorter ones occur in sealed bytes by chance */
export async function findLeaks(words: readonly string[], dataDir: string, output: string): Promise<Leak[]> {
  const short = words.find((word) => word.length < 8);
  if (short !== undefined) throw new Error(`"${short}" is too short to be searched for`);
  const forms = words.flatMap((word) => formsOf(word));
  const leaks = leaksIn(forms, output, "output");
  for (const where of await filesIn(dataDir)) {
    const bytes = await readUnlessGone(join(dataDir, where));
    if (bytes === null) continue;
    leaks.push(...leaksIn(forms, withoutGaps(bytes), where));
  }
  return leaks;
}

/** Searches one text. @param text bytes decoded as Latin-1 */
export function findLeaksInText(words: readonly string[], text: string, where: string): Leak[] {
  return leaksIn(
    words.flatMap((word) => formsOf(word)),
    text,
    where,
  );
}

const gap = "\0".repeat(64);

/** Removes runs of zeros: most of a database is pages that were never written. */
function withoutGaps(bytes: Buffer): string {
  return bytes.toString("latin1").split(gap).join("\0\0\0\0");
}

interface Form {
  word: string;
  as: string;
  /** The encoded word as it appears in a file read as Latin-1. */
  text: string;
}

function formsOf(word: string): Form[] {
  return Object.entries(scannedEncodings).flatMap(([as, encode]) =>
    [...new Set(encode(word))].map((text) => ({ word, as, text: as === "UTF-16" ? text : latin1(text) })),
  );
}

function leaksIn(forms: readonly Form[], haystack: string, where: string): Leak[] {
  return forms.filter(({ text }) => haystack.includes(text)).map(({ word, as }) => ({ word, as, where }));
}

/** The part of the encoded word that does not depend on its neighbours, at each of the three offsets. */
function shifted(word: string, encoding: "base64" | "base64url"): string[] {
  return [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), Buffer.from(word)]).toString(encoding);
    return text.slice(offset === 0 ? 0 : offset + 1, -4);
  });
}

function bigEndian(word: string): string {
  return Buffer.from(word, "utf16le").swap16().toString("latin1");
}

function escaped(word: string, write: (code: number) => string): string {
  return [...word].map((it) => (/[a-z0-9]/i.test(it) ? it : write(it.charCodeAt(0)))).join("");
}

const latin1 = (text: string) => Buffer.from(text, "utf8").toString("latin1");

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}
