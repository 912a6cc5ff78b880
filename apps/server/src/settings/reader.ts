/**
 * Reads settings from the environment one by one. It records problems and the names of the settings that were read, so
 * that all problems are reported at once and mistyped names are noticed.
 */
import type { Environment } from "./env.ts";
import { SettingsError } from "./settings-error.ts";
import type { SettingName } from "./table.ts";

/** Thrown by a value parser. Its message continues the variable's name, e.g. "must be a port from 0 to 65535". */
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

  /** The parsed value, or `fallback` when it is not set or invalid; an invalid value stops the start in `finish`. */
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

  /**
   * Ends the reading of settings.
   * @returns names of environment variables that begin with `KAUKE_` and belong to no setting, e.g. misspelled ones
   * @throws SettingsError with all problems that were recorded, if there are any
   */
  finish(): string[] {
    if (this.#problems.length > 0) throw new SettingsError(this.#problems);
    return Object.keys(this.#environment).filter((name) => name.startsWith("KAUKE_") && !this.#asked.has(name));
  }
}
