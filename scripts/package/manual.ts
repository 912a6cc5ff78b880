/** The man page kauke(8) and the completion of bash, made from the command's own table. */

import { commands } from "../../apps/server/src/cli/commands/all.ts";
import { type Command, commonOptions } from "../../apps/server/src/cli/commands/command.ts";
import type { Release } from "./release.ts";

export function manualPage({ shown, commitSeconds }: Pick<Release, "shown" | "commitSeconds">): string {
  const date = new Date(commitSeconds * 1000).toISOString().slice(0, 10);
  return `.TH KAUKE 8 ${date} "Kauke ${shown}" "System administration"
.SH NAME
kauke \\- operate the Kauke server for e\\-mail aliases
.SH SYNOPSIS
.B kauke
.I command
.RI [ options ]
.SH DESCRIPTION
Kauke forwards the mail of aliases to real mailboxes.
.B kauke
reads the settings of the server and sends requests to it; if no server runs, it opens the data itself.
Started by root, it runs as the user
.BR kauke ,
except for
.BR "kauke setup" .
It never prints a key or a password.
.SH COMMANDS
${commands.map(sectionOf).join("")}.SH OPTIONS OF EVERY COMMAND
${optionsText(commonOptions)}.SH EXIT STATUS
0: success; 1: failure, or a problem to fix; 2: invalid usage.
.SH FILES
.TP
.I /etc/kauke/kauke.env
Settings, one NAME=value per line. While it sets nothing, the service does not start.
.TP
.I /var/lib/kauke
The data directory: database, queued mail, certificates and secret.key. Removing or purging the package keeps it.
.TP
.I /var/backups/kauke
Where the running server may write the file of
.BR "kauke backup" .
.TP
.I /usr/share/doc/kauke
The operating guide, and lists of all settings and limits.
.SH SEE ALSO
.BR systemctl (1),
.BR journalctl (1)
`;
}

function sectionOf({ usage, about, options }: Command): string {
  const inner = Object.keys(options).length === 0 ? "" : `.RS\n${optionsText(options)}.RE\n`;
  return `.TP\n.B ${roff(usage)}\n${roff(about)}\n${inner}`;
}

function optionsText(options: Readonly<Record<string, string>>): string {
  return Object.entries(options)
    .map(([name, about]) => `.TP\n.B ${roff(`--${name}`)}\n${roff(about)}\n`)
    .join("");
}

const roff = (text: string) => text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replace(/^[.']/, "\\&$&");

/** Completes the words of commands, and after a command its options. */
export function bashCompletion(): string {
  // `users delete` is a command too, so it comes before `users`.
  const longestFirst = commands.toSorted((a, b) => nameOf(b).length - nameOf(a).length);
  const cases = longestFirst.map(
    (command) => `    ${JSON.stringify(nameOf(command))}*) options="${optionNames(command).join(" ")}" ;;`,
  );
  return `# bash completion of kauke
_kauke() {
  local current="\${COMP_WORDS[COMP_CWORD]}" typed="\${COMP_WORDS[*]:1:COMP_CWORD-1}" options="" name words=""
  case "$typed" in
${cases.join("\n")}
  esac
  while read -r name; do
    if [[ -z $typed ]]; then words+=" \${name%% *}"
    elif [[ $name == "$typed "* ]]; then name="\${name#"$typed "}"; words+=" \${name%% *}"; fi
  done <<'NAMES'
${commands.map(nameOf).join("\n")}
NAMES
  if [[ $current == -* ]]; then mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
  elif [[ -n $words ]]; then mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current" | sort -u)
  else mapfile -t COMPREPLY < <(compgen -f -- "$current"); fi
}
complete -F _kauke kauke
`;
}

const nameOf = ({ usage }: Command) =>
  usage
    .split(" ")
    .filter((word) => !word.startsWith("<"))
    .join(" ");

function optionNames({ options }: Command): string[] {
  return [...Object.keys(options), ...Object.keys(commonOptions)].map((name) => `--${name.split(" ")[0]}`);
}
