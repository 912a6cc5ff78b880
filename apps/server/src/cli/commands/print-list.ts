import { type Command, jsonText, print, printWhole } from "./command.ts";

interface List<Row> {
  /** Pages of rows, of which the last may be empty. */
  pages: AsyncIterable<readonly Row[]>;
  isJson: boolean;
  lineOf: (row: Row, index: number) => string;
  /** Printed in place of a list without rows. */
  none: string;
}

/** Prints rows while they are read; ends early when the reader has closed the pipe. */
export async function printList<Row>({ pages, isJson, lineOf, none }: List<Row>): ReturnType<Command["run"]> {
  let count = 0;
  const textOf = (row: Row) =>
    isJson ? `${count++ === 0 ? "[\n" : ",\n"}${JSON.stringify(row)}` : lineOf(row, count++);
  // Waits until each page is written: the reader of stdout may be slow.
  for await (const page of pages) if (!(await printWhole(page.map(textOf).join("")))) return 0;
  if (count === 0) return print(isJson ? jsonText([]) : `${none}\n`);
  return isJson ? print("\n]\n") : 0;
}

/** @param read reads the page after the row with this id; at first the id is empty */
export async function* pagesById<Row extends { id: string }>(
  read: (after: string) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  for (let after = ""; ; ) {
    const page = await read(after);
    yield page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}
