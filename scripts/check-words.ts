/**
 * Finds text that must not be in the repository: what is true on one machine only (addresses of package mirrors,
 * absolute paths of a build machine), traces of how a change was made and, in our own code, words that other words
 * have replaced (replaced-words.ts) and names that are exported twice. `check-words.ts [folder]` prints each match.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { replacedWords } from "./consistency/replaced-words.ts";
import { repositoryFiles, repositoryRoot } from "./source-files.ts";

/** Each pattern is written so that it does not match its own line. */
const refused: readonly (readonly [pattern: RegExp, why: string])[] = [
  [/https?:\/\/[\w.:-]*(?:npmj[s]|regist[r]y|artifactor[y]|verdacci[o])/i, "address of a package registry"],
  [/\b(?:deb|security|snapshot)\.debia[n]\.org\b/i, "address of a package mirror"],
  [/(?:^|[\s"'`(=:])\/wor[k]\//, "path of a build machine"],
  [/\/tm[p]\/(?:brief|bash_jobs)/, "path of a build machine"],
  [/\.\.\/share[d]\//, "path outside the repository"],
  [/\b(?:sub-?agen[t]s?|co-authored-b[y]|AI assistan[t]|language mode[l])\b/i, "trace of a tool"],
  [
    /\b(?:this|previous|next|earlier) (?:coding )?sessio[n] (?:of|by) (?:an?|the) (?:engineer|developer|helper)/i,
    "trace of a tool",
  ],
];

const notText = /\.(?:png|jpe?g|gif|ico|woff2?|pdf|zip|gz|eml|age|bin)$/;

/** @returns line and reason for each line that matches a pattern, e.g. `{ line: 3, why: "path of a build machine" }` */
export function refusedWords(text: string): { line: number; why: string }[] {
  return text.split("\n").flatMap((content, index) => {
    const hit = refused.find(([pattern]) => pattern.test(content));
    return hit === undefined ? [] : [{ line: index + 1, why: hit[1] }];
  });
}

/** Folders whose files must not contain a replaced word; the list itself is the exception. */
const ourCode = /^(?:apps|packages|testkit|e2e|bench|scripts)\//;
const THE_LIST = "scripts/consistency/replaced-words.ts";

const replacedPatterns = replacedWords.map(({ word, instead }) => ({
  pattern: new RegExp(`(?<![\\w-])${word}(?![\\w-])`, word.includes(" ") ? "i" : ""),
  why: `"${word}" was replaced: ${instead}`,
}));

/** @returns line and the word to use instead for each line that contains a replaced word */
export function wordsToReplace(text: string): { line: number; why: string }[] {
  return text.split("\n").flatMap((content, index) => {
    const hits = replacedPatterns.filter(({ pattern }) => pattern.test(content));
    return hits.map(({ why }) => ({ line: index + 1, why }));
  });
}

const programFile = /^(?:apps|packages)\/(?!.*(?:\/test\/|\.test\.tsx?$|\.testing\.ts$)).*\.tsx?$/;
const exportedName = /^export (?:async |abstract )*(?:function\*?|const|class|interface|type) ([\w$]+)/gm;

/**
 * Finds names that two files of the program export: a reader who searches for one would find the other.
 * @param texts texts of files by path
 * @returns a sentence per file that exports a name a second time
 */
export function namesExportedTwice(texts: ReadonlyMap<string, string>): string[] {
  const firstAt = new Map<string, string>();
  return [...texts].flatMap(([path, text]) =>
    [...new Set(Array.from(text.matchAll(exportedName), ([, name = ""]) => name))].flatMap((name) => {
      const first = firstAt.get(name);
      if (first === undefined) firstAt.set(name, path);
      return first === undefined ? [] : [`${path}: exports "${name}", as ${first} does`];
    }),
  );
}

function findAll(root: string): string[] {
  const paths = repositoryFiles(root).filter((path) => !notText.test(path));
  const texts = new Map(paths.map((path) => [path, readFileSync(join(root, path), "utf8")]));
  const words = [...texts].flatMap(([path, text]) => {
    const replaced = ourCode.test(path) && path !== THE_LIST ? wordsToReplace(text) : [];
    return [...refusedWords(text), ...replaced].map(({ line, why }) => `${path}:${line}: ${why}`);
  });
  return [...words, ...namesExportedTwice(new Map([...texts].filter(([path]) => programFile.test(path))))];
}

if (import.meta.main) {
  const found = findAll(process.argv[2] ?? repositoryRoot());
  for (const line of found) console.error(line);
  process.exitCode = found.length > 0 ? 1 : 0;
}
