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
