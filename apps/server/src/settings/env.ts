/**
 * Reads the settings as text from the process environment and, with lower priority, from a `.env` file in the working
 * directory. The only place that reads `process.env`; config-read.ts parses the texts.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Merges the process environment over `.env` in `folder`. An empty value counts as not set, and hides the file's value.
 * @throws SettingsError that names the invalid lines of `.env`
 */
export function readEnvironment(folder: string, processEnvironment: Environment = process.env): Environment {
  const file = join(folder, ".env");
  const fromFile = existsSync(file) ? parseDotEnv(readFileSync(file, "utf8")) : {};
  const merged = Object.entries({ ...fromFile, ...processEnvironment });
  return Object.fromEntries(merged.filter(([, value]) => value !== undefined && value.trim() !== ""));
}

const assignment = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*?)\s*$/;
const emptyOrComment = /^\s*(?:#.*)?$/;

/**
 * Parses one `NAME=value` per line. `#` starts a comment line, or a comment after a space; a value in single quotes is
 * taken literally, in double quotes `\n`, `\"` and `\\` are unescaped. Other variables are not expanded.
 * @throws SettingsError with the number of each invalid line, without its text
 */
export function parseDotEnv(text: string): Record<string, string> {
  const found: Record<string, string> = {};
  const unreadable: number[] = [];
  for (const [index, line] of text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .entries()) {
    if (emptyOrComment.test(line)) continue;
    const [, name, value] = assignment.exec(line) ?? [];
    if (name === undefined || value === undefined) unreadable.push(index + 1);
    else found[name] = unquote(value);
  }
  if (unreadable.length > 0) throw new SettingsError(unreadable.map((line) => `.env line ${line} is not NAME=value.`));
  return found;
}

function unquote(value: string): string {
  const [, single, double] = /^(?:'([^']*)'|"((?:[^"\\]|\\.)*)")\s*(?:#.*)?$/.exec(value) ?? [];
  if (single !== undefined) return single;
  if (double !== undefined) return double.replace(/\\(.)/g, (_, char: string) => (char === "n" ? "\n" : char));
  return value.replace(/(?:^|\s+)#.*$/, "");
}

/** The environment for child processes of the server: without its settings, which hold secrets. */
export function environmentOfChildren(processEnvironment: Environment = process.env): Record<string, string> {
  const others = Object.entries(processEnvironment).filter(
    (it): it is [string, string] => it[1] !== undefined && !it[0].startsWith("KAUKE_") && it[0] !== "DATABASE_URL",
  );
  return Object.fromEntries(others);
}

/**
 * Invalid settings that stop the start: all problems, each a sentence that names a variable and never quotes its value.
 */
export class SettingsError extends Error {
  override name = "SettingsError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}
