/** The rows of table.ts with their figures filled in, for docs/limits.md and the admin page. */
import { limitNames, namedLimits } from "./named-limits.ts";
import { bounds, limitsTable } from "./table.ts";

export type LimitRow = string | { figures: Readonly<Record<string, number>>; row: string };

/** Changes by name of the limit, as `KAUKE_LIMITS` gives them. */
type LimitChanges = ReadonlyMap<string, { max: number; windowSeconds: number }>;

const textOf = (row: LimitRow): string => (typeof row === "string" ? row : row.row);

/** @returns what, value, scope, share of one party, who gives way, tests; figures are still in braces */
export const rawCells = (row: LimitRow): string[] => textOf(row).split(" | ");

/** The same cells with their figures. @throws Error if there is no such figure */
export const limitCells = (row: LimitRow, changes: LimitChanges = new Map()): string[] =>
  rawCells(row).map((cell) => cell.replace(/\{([\w.]+)\}/g, (_, path: string) => figureText(path, row, changes)));

const allOff = {
  name: "KAUKE_LIMITS",
  says: "off: there are no limits over time and no shares of networks, which is for load tests only.",
};

/** The limits of a running server, in sentences. @param changes `off` for `KAUKE_LIMITS=off` */
export function limitsInForce(changes: "off" | LimitChanges): { name: string; says: string }[] {
  if (changes === "off") return [allOff];
  const rows = Object.values(limitsTable).flatMap((section) => Object.values<LimitRow>(section));
  return rows.map((row) => {
    const [name = "", value = "", scope = "", share = ""] = limitCells(row, changes).map(withoutMarkup);
    return { name, says: `${value}; counted by ${scope}${share === "none" ? "" : `; of one party: ${share}`}` };
  });
}

const withoutMarkup = (cell: string): string => cell.replaceAll("`", "").replaceAll(/ ?\(\[\w+\]\([^)]*\)\)/g, "");

const MIB = 1024 * 1024;
const parts = new Map([
  [1 / 2, "half"],
  [1 / 3, "a third"],
  [1 / 4, "a quarter"],
  [1 / 10, "a tenth"],
  [1 / 50, "a fiftieth"],
]);
const count = (value: number) => value.toLocaleString("en");
const some = (value: number, unit: string) => `${count(value)} ${unit}${value === 1 ? "" : "s"}`;

/** @param path name of a figure of the row, name of a limit, or `name.figure` of another row or limit */
function figureText(path: string, row: LimitRow, changes: LimitChanges): string {
  const [name = "", field] = path.split(".");
  const change = limitNames.includes(name) ? changes.get(name) : undefined;
  if (field === undefined && name in namedLimits) {
    const { max, windowSeconds } = change ?? namedLimits[name as "register"];
    return `\`${name}\` ${count(max)} in ${duration(windowSeconds * 1000)}`
      .replace(/ in 1 (?=minute|day)/, " a ")
      .replace(" in 1 h", " an h");
  }
  const own = typeof row === "string" ? {} : row.figures;
  const changed = change && { free: change.max, longestWaitSeconds: change.windowSeconds };
  const owner = field === undefined ? own : { ...Object({ ...bounds, ...namedLimits }[name as "message"]), ...changed };
  const value: unknown = Object.entries(owner).find(([key]) => key === (field ?? name))?.[1];
  if (typeof value !== "number") throw new Error(`no figure ${path}`);
  return figure(field ?? name, value);
}

/** A figure with the unit that its name ends with. */
function figure(name: string, value: number): string {
  if (name.endsWith("Ms")) return duration(value);
  if (name.endsWith("Seconds")) return duration(value * 1000);
  if (name.endsWith("Part")) return parts.get(value) ?? String(value);
  if (!name.toLowerCase().endsWith("bytes")) return count(value);
  if (value < 1024) return `${value} bytes`;
  return value % MIB === 0 ? `${count(value / MIB)} MiB` : `${count(value / 1024)} KiB`;
}

function duration(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  if (ms < 60_000) return `${ms / 1000} s`;
  if (ms < 3_600_000) return some(ms / 60_000, "minute");
  return ms < 86_400_000 ? some(ms / 3_600_000, "hour") : some(ms / 86_400_000, "day");
}
