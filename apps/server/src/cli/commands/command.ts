/** The interface of a command of the operator's tool `kauke`. */
import type { Config } from "../../settings/config.ts";
import type { OperatorAccess } from "../control/operator-access.ts";

export type Values = Readonly<Record<string, string | boolean | undefined>>;

export interface CommandCall {
  values: Values;
  args: readonly string[];
  /** Reads the settings; an invalid one ends the process with a message that names it. */
  config(): Config;
  /** Opens the running server's control socket or, if no server runs, the store. Closed at the end of the command. */
  access(): Promise<OperatorAccess>;
}

export interface Command {
  /** Syntax, e.g. `users delete <id>`; arguments in angle brackets are required. */
  usage: string;
  about: string;
  /** Help text by option; `name <value>` for an option that takes a value. */
  options: Readonly<Record<string, string>>;
  /** Runs the command. @returns exit code: 0 success; 1 failure, or a problem to fix; 2 invalid usage */
  run(call: CommandCall): Promise<number>;
}

export function print(text: string, code = 0): number {
  process.stdout.write(text);
  return code;
}

/**
 * Writes to stdout and waits until it is written.
 * @returns false when the reader has closed the pipe (`kauke users | head`)
 */
export function printWhole(text: string): Promise<boolean> {
  return new Promise((resolve) => {
    process.stdout.write(text, (error) => resolve(!error));
  });
}

/** Prints to stderr why the command was not run and what to do instead. */
export function refuse(sentence: string, code = 2): number {
  process.stderr.write(`${sentence}\n`);
  return code;
}

export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
