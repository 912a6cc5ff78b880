import { expect, it } from "vitest";
import { type Answer, type Column, DescribedStatement, plainValues } from "./described-statement.ts";

const wholeNumber: Column = {
  name: "n",
  parse(text) {
    if (!/^\d+$/.test(text)) throw new Error("not a number");
    return Number(text);
  },
};

/** Runs a statement whose result is these rows. */
function answerOf(rows: readonly (string | null)[][]): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const statement = new DescribedStatement({ name: "s", columns: [wholeNumber] }, [], (error, answer) =>
      error ? reject(error) : resolve(answer),
    );
    for (const fields of rows) statement.handleDataRow({ fields });
    statement.handleCommandComplete({ text: `INSERT 0 ${rows.length}` });
    statement.handleReadyForQuery();
  });
}

it("rows are parsed by the columns that are known, and the command and its number of rows are told", async () => {
  expect(await answerOf([["1"], [null]])).toEqual({ rows: [{ n: 1 }, { n: null }], command: "INSERT", rowCount: 2 });
});

it("a value that can't be parsed fails the query", async () => {
  await expect(answerOf([["1"], ["x"], ["3"]])).rejects.toThrow("not a number");
});

it("a row with another number of columns fails the query", async () => {
  await expect(answerOf([["1", "2"]])).rejects.toThrow("another number of columns");
});

it("texts, bytes, nulls and numbers are sent as they are, and anything else is left to pg", () => {
  expect(plainValues(["a", Buffer.from("b"), null, 1.5])).toEqual(["a", Buffer.from("b"), null, "1.5"]);
  for (const value of [["a"], new Date(), true, undefined, {}, new Uint8Array(1)])
    expect(plainValues([value])).toBeNull();
});
