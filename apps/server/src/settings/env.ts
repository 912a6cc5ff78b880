import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SettingName } from "./table.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The file of settings: `.env` in `folder`, or the one that a package names. */
export function settingsFile(folder: string, processEnvironment: Environment = process.env): string {
  return processEnvironment.KAUKE_SETTINGS_FILE ?? join(folder, ".env");
}

/** Merges the environment over the file; an empty value hides the file's. @throws SettingsError naming invalid lines */
export function readEnvironment(folder: string, processEnvironment: Environment = process.env): Environment {
  const file = settingsFile(folder, processEnvironment);
  const fromFile = existsSync(file) ? parseDotEnv(readFileSync(file, "utf8")) : {};
  const merged = Object.entries({ ...fromFile, ...processEnvironment });
  return Object.fromEntries(merged.filter(([, value]) => value !== undefined && value.trim() !== ""));
}

/** What a process would be started with now, if these values had just been set. */
export function environmentWith(values: Environment, processEnvironment: Environment = process.env): Environment {
  return { ...processEnvironment, ...values };
}

const assignment = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*?)\s*$/;
const emptyOrComment = /^\s*(?:#.*)?$/;

/**
 * One `NAME=value` per line. `#` starts a comment line, or a comment after a space; a value in single quotes is taken
 * literally, in double quotes `\n`, `\"` and `\\` are unescaped. Other variables are not expanded.
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

/** Environment for child processes: without the server's settings, which hold secrets. */
export function environmentOfChildren(processEnvironment: Environment = process.env): Record<string, string> {
  const others = Object.entries(processEnvironment).filter(
    (one): one is [string, string] => one[1] !== undefined && !one[0].startsWith("KAUKE_") && one[0] !== "DATABASE_URL",
  );
  return Object.fromEntries(others);
}

/** All problems with the settings, each a sentence that names a variable and never quotes its value. */
export class SettingsError extends Error {
  override name = "SettingsError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}

/** A problem with one setting; its message continues the variable's name, e.g. "must be a port from 0 to 65535". */
export class SettingProblem extends Error {
  override name = "SettingProblem";
}

export class SettingReader {
  readonly #environment: Environment;
  readonly #asked = new Set<string>();
  readonly #problems: string[] = [];

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  has(name: SettingName): boolean {
    this.#asked.add(name);
    return this.#environment[name] !== undefined;
  }

  read<T>(name: SettingName, fallback: T, parse: (text: string) => T): T {
    if (!this.has(name)) return fallback;
    try {
      return parse((this.#environment[name] ?? "").trim());
    } catch (thrown) {
      if (!(thrown instanceof SettingProblem)) throw thrown;
      this.refuse(`${name} ${thrown.message}.`);
      return fallback;
    }
  }

  /** Records a problem between several settings. @param sentence a whole sentence */
  refuse(sentence: string): void {
    this.#problems.push(sentence);
  }

  /** @returns unknown variables that begin with `KAUKE_` @throws SettingsError with all recorded problems */
  finish(): string[] {
    if (this.#problems.length > 0) throw new SettingsError(this.#problems);
    return Object.keys(this.#environment).filter((name) => name.startsWith("KAUKE_") && !this.#asked.has(name));
  }
}
