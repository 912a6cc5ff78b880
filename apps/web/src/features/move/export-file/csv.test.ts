import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { csvRows, readCsvHeader } from "./csv.ts";

const rowsOf = (text: string, columns?: readonly number[]) => {
  const { header, shape, next } = readCsvHeader(text);
  return [...csvRows(text, { from: next, shape, columns: columns ?? [...header.keys()] })];
};

describe("CSV", () => {
  test("quotes, commas, line breaks and missing cells are read", () => {
    const text = 'a,b,c\r\n"x, ""y""","1\r\n2",3\r\n\r\nonly\r\n,,"end"';
    expect(rowsOf(text)).toEqual([
      ['x, "y"', "1\r\n2", "3"],
      ["only", "", ""],
      ["", "", "end"],
    ]);
  });

  test("only the requested columns are read, in the requested order; a column that the file lacks is empty", () => {
    expect(rowsOf('a,b,c\n1,"2",3', [2, 0, -1])).toEqual([["3", "1", ""]]);
  });

  test("the separator is the one that occurs most often in the header", () => {
    expect(readCsvHeader("a;b;c\n").shape.separator).toBe(";");
    expect(readCsvHeader("a\tb\n").shape.separator).toBe("\t");
    expect(readCsvHeader("a\n").shape.separator).toBe(",");
  });

  test("a quoted cell that does not end is refused", () => {
    expect(() => rowsOf('a,b\n"1,2')).toThrow("a quoted cell does not end");
  });

  test("written rows are read back unchanged, whatever characters their cells contain", () => {
    const cell = fc.string({ unit: fc.constantFrom('"', ",", "\n", "\r", "ą", "x", " ") });
    const row = fc.tuple(cell, cell, cell).filter((cells) => cells.some((text) => text.trim() !== ""));
    fc.assert(
      fc.property(fc.array(row, { maxLength: 5 }), (rows) => {
        const lines = rows.map((cells) => cells.map((text) => `"${text.replaceAll('"', '""')}"`).join(","));
        expect(rowsOf(`a,b,c\n${lines.join("\n")}`)).toEqual(rows);
      }),
    );
  });
});
