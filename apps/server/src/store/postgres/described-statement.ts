/**
 * Runs a prepared statement without asking the server to describe its result, which an earlier run on the same
 * connection did: the server sends, and pg reads, the names and types of the columns only once per connection.
 */
import type pg from "pg";
import { bindAndExecute, type PlainValue } from "./bind-message.ts";

/** A column of the result, and how its text is parsed. */
export interface Column {
  name: string;
  parse(text: string): unknown;
}

export interface Answer {
  rows: Record<string, unknown>[];
  /** First word of the command, e.g. `SELECT`. */
  command: string;
  rowCount: number;
}

/** @returns the values as the protocol takes them; `null` if one, e.g. an array, needs pg's conversion */
export function plainValues(values: readonly unknown[]): PlainValue[] | null {
  const plain: PlainValue[] = [];
  for (const value of values) {
    if (value === null || typeof value === "string" || Buffer.isBuffer(value)) plain.push(value);
    else if (typeof value === "number") plain.push(String(value));
    else return null;
  }
  return plain;
}

/** @throws DatabaseError of pg, as `client.query` does */
export function runDescribed(
  query: (described: DescribedStatement) => unknown,
  statement: { name: string; columns: readonly Column[] },
  values: PlainValue[],
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    query(new DescribedStatement(statement, values, (error, answer) => (error ? reject(error) : resolve(answer))));
  });
}

/** A query object of pg: the client calls `submit` when it is this query's turn, and then the handlers. */
export class DescribedStatement implements pg.Submittable {
  readonly #answer: Answer = { rows: [], command: "", rowCount: 0 };
  readonly #columns: readonly Column[];
  readonly #statement: string;
  readonly #values: PlainValue[];
  #fault: Error | null = null;
  /** A property that pg looks for. */
  readonly callback: (error: Error | null, answer: Answer) => void;

  constructor(
    { name, columns }: { name: string; columns: readonly Column[] },
    values: PlainValue[],
    callback: (error: Error | null, answer: Answer) => void,
  ) {
    this.callback = callback;
    this.#statement = name;
    this.#columns = columns;
    this.#values = values;
  }

  submit(connection: pg.Connection): void {
    // A connection that is lost tells the query so.
    if (connection.stream.writable) connection.stream.write(bindAndExecute(this.#statement, this.#values));
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    try {
      if (fields.length !== this.#columns.length) throw new Error("a row has another number of columns");
      const row: Record<string, unknown> = {};
      for (const [index, { name, parse }] of this.#columns.entries()) {
        const text = fields[index];
        row[name] = text === null || text === undefined ? null : parse(text);
      }
      this.#answer.rows.push(row);
    } catch (error) {
      this.#fault = error as Error;
    }
  }

  /** @param text e.g. `SELECT 1`, `INSERT 0 1` */
  handleCommandComplete({ text }: { text: string }): void {
    this.#answer.command = text.slice(0, text.indexOf(" "));
    this.#answer.rowCount = Number(text.slice(text.lastIndexOf(" ") + 1));
  }

  handleReadyForQuery(): void {
    this.callback(this.#fault, this.#answer);
  }

  handleError(error: Error): void {
    this.callback(error, this.#answer);
  }
}
