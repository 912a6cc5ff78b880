/** What a command of the operator's tool is made of. */
import type { Config } from "../../config.ts";
import type { OperatorAccess } from "../control/operator-access.ts";

export type Values = Readonly<Record<string, string | boolean | undefined>>;

export interface CommandCall {
  values: Values;
  args: readonly string[];
  /** Reads the settings; a wrong one ends the process with its name. */
  config(): Config;
  /** The running server or, when none runs, the opened store; closed at the end of the command. */
  access(): Promise<OperatorAccess>;
}

export interface Command {
  /** As it is typed, e.g. `users delete <id>`; what stands in angle brackets must be given. */
  usage: string;
  about: string;
  /** Name to its line of help; `name <value>` for one that takes a value. */
  options: Readonly<Record<string, string>>;
  /** @returns exit code: 0 well, 1 something must be mended or could not be done, 2 not understood */
  run(call: CommandCall): Promise<number>;
}

export function print(text: string, code = 0): number {
  process.stdout.write(text);
  return code;
}

/** Waits until it is written. @returns false when nobody reads any more (`kauke users | head`) */
export function printWhole(text: string): Promise<boolean> {
  return new Promise((resolve) => {
    process.stdout.write(text, (error) => resolve(!error));
  });
}

/** Not understood, or not possible: what to do instead. */
export function refuse(sentence: string, code = 2): number {
  process.stderr.write(`${sentence}\n`);
  return code;
}

export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
