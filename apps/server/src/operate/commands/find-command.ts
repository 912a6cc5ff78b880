/** Finds what was typed among the commands and reads its options. Pure; what is not understood comes back as the help. */
import { parseArgs } from "node:util";
import type { Command, Values } from "./command.ts";

export type Found =
  | { kind: "run"; command: Command; args: readonly string[]; values: Values }
  | { kind: "help"; text: string }
  | { kind: "unknown"; text: string };

const everywhere = { json: "prints JSON instead of text", help: "prints this" };

export function findCommand(commands: readonly Command[], typed: readonly string[]): Found {
  const words = typed.filter((word) => !word.startsWith("-"));
  const command = commands
    .filter((it) => nameOf(it).every((word, index) => words[index] === word))
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

function parse({ options }: Command, typed: readonly string[]) {
  const own = Object.keys(options).map((name) => {
    const [word = "", value] = name.split(" ");
    return [word, { type: value === undefined ? ("boolean" as const) : ("string" as const) }] as const;
  });
  const known = { json: { type: "boolean" as const }, help: { type: "boolean" as const, short: "h" } };
  try {
    const given = parseArgs({
      args: [...typed],
      options: { ...Object.fromEntries(own), ...known },
      allowPositionals: true,
    });
    return { values: given.values as Values, positionals: given.positionals };
  } catch {
    return null;
  }
}

function overview(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ usage }) => usage.length));
  const lines = commands.map(({ usage, about }) => `  ${usage.padEnd(width)}  ${about}`);
  return `Usage: npx kauke <command> [options]

${lines.join("\n")}

  --json   prints JSON instead of text
  --help   prints this; after a command, what that one takes

It reads the same settings as the server and asks the running one; when none runs it opens the data itself.
`;
}

function helpOf({ usage, about, options }: Command): string {
  const all = Object.entries({ ...options, ...everywhere });
  const width = Math.max(...all.map(([name]) => name.length));
  const lines = all.map(([name, text]) => `  --${name.padEnd(width)}  ${text}`);
  return `Usage: npx kauke ${usage} [options]\n\n  ${about}\n\n${lines.join("\n")}\n`;
}
