/**
 * Measures the look-ups of aliases on both databases, each in a process of its own, as a server has one kind of
 * database and code that is compiled for both is slower.
 */
import { fork } from "node:child_process";
import { join } from "node:path";
import { findTestPostgres } from "@kauke/server/store/postgres/postgres.testing";
import type { BenchOptions } from "../options.ts";
import type { Row } from "../table.ts";
import type { MeasuredDatabase } from "./measure-database.ts";

const program = join(import.meta.dirname, "measure-database.ts");

export async function benchLookUps(options: BenchOptions): Promise<Row[]> {
  const rows = await measure("embedded", options);
  const postgres = findTestPostgres();
  if (!postgres.found) return [...rows, { bench: "look-ups", what: "PostgreSQL", measured: postgres.reason }];
  return [...rows, ...(await measure("PostgreSQL", options))];
}

/** @returns the rows of the table @throws Error if the process ends without them */
function measure(database: MeasuredDatabase["database"], options: BenchOptions): Promise<Row[]> {
  const { embeddedAliases, postgresAliases, rounds } = options;
  return new Promise((resolve, reject) => {
    const child = fork(program);
    let rows: Row[] | null = null;
    child.once("message", (measured: Row[]) => void (rows = measured));
    child.once("error", reject);
    child.once("close", (code) => {
      if (rows === null) reject(new Error(`the measurement on ${database} ended with ${code} and no rows`));
      else resolve(rows);
    });
    child.send({ database, embeddedAliases, postgresAliases, rounds } satisfies MeasuredDatabase);
  });
}
