/**
 * Takes settings out of the environment one by one and remembers what was wrong with them and which names were asked for, so
 * that all problems can be told at once and a mistyped name is noticed.
 */
import type { Environment } from "./env.ts";
import { SettingsError } from "./settings-error.ts";

/** Thrown by a value parser; its message goes on after the variable's name, e.g. "must be a port from 0 to 65535". */
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

  has(name: string): boolean {
    this.#asked.add(name);
    return this.#environment[name] !== undefined;
  }

  /** The parsed value, or `fallback` when it is not set or wrong; what is wrong stops the start in `finish`. */
  read<T>(name: string, fallback: T, parse: (text: string) => T): T {
    if (!this.has(name)) return fallback;
    try {
      return parse((this.#environment[name] ?? "").trim());
    } catch (thrown) {
      if (!(thrown instanceof SettingProblem)) throw thrown;
      this.refuse(`${name} ${thrown.message}.`);
      return fallback;
    }
  }

  /** Notes a problem between several settings; a whole sentence. */
  refuse(sentence: string): void {
    this.#problems.push(sentence);
  }

  /**
   * @returns the names of our own kind that no setting has
   * @throws SettingsError when anything was wrong
   */
  finish(): string[] {
    if (this.#problems.length > 0) throw new SettingsError(this.#problems);
    return Object.keys(this.#environment).filter((name) => name.startsWith("KAUKE_") && !this.#asked.has(name));
  }
}
