import { type ParseArgsConfig, parseArgs } from "node:util";
import type { Config } from "../../settings/config.ts";
import type { OperatorAccess } from "../control/operator-access.ts";

export type Values = Readonly<Record<string, string | boolean | undefined>>;

export interface CommandCall {
  values: Values;
  args: readonly string[];
  /** Reads the settings. An invalid one ends the process with a message that names it. */
  config(): Config;
  access(): Promise<OperatorAccess>;
}

export interface Command {
  /** Syntax, e.g. `users delete <id>`; arguments in angle brackets are required. */
  usage: string;
  about: string;
  options: Readonly<Record<string, string>>;
  /** @returns exit code: 0 success; 1 failure, or a problem to fix; 2 invalid usage */
  run(call: CommandCall): Promise<number>;
}

export function print(text: string, code = 0): number {
  process.stdout.write(text);
  return code;
}

/** @returns false when the reader has closed the pipe (`kauke users | head`) */
export function printWhole(text: string): Promise<boolean> {
  return new Promise((resolve) => {
    process.stdout.write(text, (error) => resolve(!error));
  });
}

export function refuse(sentence: string, code = 2): number {
  process.stderr.write(`${sentence}\n`);
  return code;
}

export function finish(done: boolean, yes: string, no: string): number {
  return done ? print(`${yes}\n`) : refuse(no, 1);
}

/** Removes characters that could move the cursor or break a line. */
export const oneWord = (text: string) => text.replace(/[\p{Cc}\p{Cf}\p{Cs}\s]/gu, "");

export const minuteOf = (time: string) => time.slice(0, 16).replace("T", " ");

export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

export type Found =
  | { kind: "run"; command: Command; args: readonly string[]; values: Values }
  | { kind: "help"; text: string }
  | { kind: "unknown"; text: string };

/** The command as the operator types it: the package installs `kauke`; in a clone, npx finds it. */
const typedName = import.meta.dirname.startsWith("/usr/lib/kauke/") ? "kauke" : "npx kauke";

export const commonOptions = { json: "prints JSON instead of text", help: "prints this help" };

export function findCommand(commands: readonly Command[], typed: readonly string[]): Found {
  const words = wordsOf(commands, typed);
  const command = commands
    .filter((one) => nameOf(one).every((word, index) => words[index] === word))
    .toSorted((a, b) => nameOf(b).length - nameOf(a).length)[0];
  if (command === undefined) {
    const wantsHelp = words.length === 0 && typed.some((word) => word === "--help" || word === "-h");
    return { kind: wantsHelp ? "help" : "unknown", text: overview(commands) };
  }
  const parsed = parse(command, typed);
  if (parsed === null) return { kind: "unknown", text: helpOf(command) };
  const args = parsed.positionals.slice(nameOf(command).length);
  if (parsed.values.help === true) return { kind: "help", text: helpOf(command) };
  if (args.length !== argumentsOf(command).length) return { kind: "unknown", text: helpOf(command) };
  return { kind: "run", command, args, values: parsed.values };
}

const nameOf = ({ usage }: Command) => usage.split(" ").filter((word) => !word.startsWith("<"));
const argumentsOf = ({ usage }: Command) => usage.split(" ").filter((word) => word.startsWith("<"));

function wordsOf(commands: readonly Command[], typed: readonly string[]): readonly string[] {
  const options = Object.assign({}, ...commands.map(optionsOf)) as ReturnType<typeof optionsOf>;
  return parseArgs({ args: [...typed], options, allowPositionals: true, strict: false }).positionals;
}

function parse(command: Command, typed: readonly string[]) {
  try {
    const given = parseArgs({ args: [...typed], options: optionsOf(command), allowPositionals: true });
    return { values: given.values as Values, positionals: given.positionals };
  } catch {
    return null;
  }
}

function optionsOf({ options }: Command): NonNullable<ParseArgsConfig["options"]> {
  const own = Object.keys(options).map((name) => {
    const [word = "", value] = name.split(" ");
    return [word, { type: value === undefined ? ("boolean" as const) : ("string" as const) }] as const;
  });
  return { ...Object.fromEntries(own), json: { type: "boolean" }, help: { type: "boolean", short: "h" } };
}

function overview(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ usage }) => usage.length));
  const lines = commands.map(({ usage, about }) => `  ${usage.padEnd(width)}  ${about}`);
  return `Usage: ${typedName} <command> [options]

${lines.join("\n")}

  --json   prints JSON instead of text
  --help   prints this help; after a command, the help of that command

The command reads the settings of the server and sends requests to it; if no server runs, it opens the data itself.
`;
}

function helpOf({ usage, about, options }: Command): string {
  const all = Object.entries({ ...options, ...commonOptions });
  const width = Math.max(...all.map(([name]) => name.length));
  const lines = all.map(([name, text]) => `  --${name.padEnd(width)}  ${text}`);
  return `Usage: ${typedName} ${usage} [options]\n\n  ${about}\n\n${lines.join("\n")}\n`;
}
