const assignment = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=/;

/** Sets values in `NAME=value` lines, in place or at the end; all other lines stay. Idempotent. */
export function withSettings(text: string, values: Readonly<Record<string, string>>): string {
  const left = new Map(Object.entries(values));
  const lines = text.replace(/\n+$/, "").split("\n");
  const kept = lines.flatMap((line) => {
    const name = assignment.exec(line)?.[1];
    if (name === undefined || !(name in values)) return [line];
    // The last of several lines wins, so only one may stay.
    const value = left.get(name);
    left.delete(name);
    return value === undefined ? [] : [`${name}=${quoted(value)}`];
  });
  const added = [...left].map(([name, value]) => `${name}=${quoted(value)}`);
  const all = kept.length === 1 && kept[0] === "" ? added : [...kept, ...added];
  return `${all.join("\n")}\n`;
}

/** Removes the lines that set one of these names. */
export function withoutSettings(text: string, names: readonly string[]): string {
  const lines = text.split("\n");
  return lines.filter((line) => !names.includes(assignment.exec(line)?.[1] ?? "")).join("\n");
}

/** Quotes a value for both the server's own reader and systemd's EnvironmentFile. */
function quoted(value: string): string {
  if (/^[\w.,:@/+%=-]*$/.test(value)) return value;
  return `"${value.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}
