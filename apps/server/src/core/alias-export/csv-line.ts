/** Writes CSV (RFC 4180). Pure. */

const QUOTED = /[",\r\n]|^\s|\s$/;
/** What a spreadsheet takes for the beginning of a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/**
 * One record with its line end.
 * @param isSafe whether cells that a spreadsheet would run as a formula get an apostrophe in front; programs compare
 * cells literally, so the usual files do not have it
 */
export function csvLine(cells: readonly string[], isSafe: boolean): string {
  return `${cells.map((cell) => quoted(isSafe && FORMULA.test(cell) ? `'${cell}` : cell)).join(",")}\r\n`;
}

function quoted(cell: string): string {
  return QUOTED.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
