/** Writes records of CSV files (RFC 4180). Pure. */

const QUOTED = /[",\r\n]|^\s|\s$/;
/** Cells with one of these first characters are run as a formula by spreadsheet programs. */
const FORMULA = /^[=+\-@\t\r]/;

/**
 * Writes one CSV record with its line end.
 * @param isSafe whether an apostrophe is put before cells that a spreadsheet would run as a formula; not for files to
 * import elsewhere, because importers read cells literally
 */
export function csvLine(cells: readonly string[], isSafe: boolean): string {
  return `${cells.map((cell) => quoted(isSafe && FORMULA.test(cell) ? `'${cell}` : cell)).join(",")}\r\n`;
}

function quoted(cell: string): string {
  return QUOTED.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
