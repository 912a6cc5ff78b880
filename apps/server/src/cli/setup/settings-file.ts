/** The file of settings that `kauke setup` writes: lines of the operator stay as they are. */

const assignment = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=/;

/**
 * Sets values in a text of `NAME=value` lines. A line that sets one of them is replaced in its place, others and comments
 * stay, new ones are added at the end. The result of the result is the same.
 */
export function withSettings(text: string, values: Readonly<Record<string, string>>): string {
  const left = new Map(Object.entries(values));
  const lines = text.replace(/\n+$/, "").split("\n");
  const kept = lines.flatMap((line) => {
    const name = assignment.exec(line)?.[1];
    if (name === undefined || !(name in values)) return [line];
    // Of several lines the last one counts, so only one may stay.
    const value = left.get(name);
    left.delete(name);
    return value === undefined ? [] : [`${name}=${quoted(value)}`];
  });
  const added = [...left].map(([name, value]) => `${name}=${quoted(value)}`);
  const all = kept.length === 1 && kept[0] === "" ? added : [...kept, ...added];
  return `${all.join("\n")}\n`;
}

/** As both the server's own reader and systemd's EnvironmentFile understand it. */
function quoted(value: string): string {
  if (/^[\w.,:@/+%=-]*$/.test(value)) return value;
  return `"${value.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}
