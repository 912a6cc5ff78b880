/**
 * Prepared statements on PostgreSQL, one per connection of the pool and text. A pooler in transaction mode that does
 * not support them passes each statement to any of its connections, where it may not exist. Then this process runs all
 * queries without them.
 */
import pg from "pg";
import type { Logger } from "../../core/ports.ts";
import { isDatabaseError } from "../database.ts";
import { isPreparedQuery, statementName } from "../prepared-query.ts";
import { type Column, plainValues, runDescribed } from "./described-statement.ts";

/** @param oid of a column's type @returns how its text is parsed */
export type TypeParser = (oid: number) => (text: string) => unknown;

const UNKNOWN_STATEMENT = "26000";
const STATEMENT_EXISTS = "42P05";
/** A column of the result has another type, since a newer version of this program migrated the table. */
const RESULT_CHANGED = "0A000";

/** Makes the connections of the pool run the texts of prepared queries as prepared statements. */
export function addPreparedStatements(pool: pg.Pool, typeParser: TypeParser, logger: Logger | undefined): void {
  let isUsable = true;
  // Part of the statements' names: raising it makes every connection prepare them again.
  let generation = 0;
  /** @returns whether the statement failed, and not the query */
  const recover = (error: unknown, ofGeneration: number): boolean => {
    if (isDatabaseError(error, RESULT_CHANGED)) {
      generation = Math.max(generation, ofGeneration + 1);
      return true;
    }
    if (!isDatabaseError(error, UNKNOWN_STATEMENT) && !isDatabaseError(error, STATEMENT_EXISTS)) return false;
    if (isUsable) logger?.info("prepared_statements_off");
    isUsable = false;
    return true;
  };
  const nameOf = rememberedNames();
  pool.on("connect", (client) => {
    const query = (...args: unknown[]): unknown => Reflect.apply(pg.Client.prototype.query, client, args);
    const described = new Map<string, readonly Column[]>();
    const runNamed = async (name: string, text: string, values: unknown[]) => {
      const columns = described.get(name);
      const plain = columns === undefined ? null : plainValues(values);
      if (columns !== undefined && plain !== null) return await runDescribed(query, { name, columns }, plain);
      const result = (await query({ name, text, values })) as pg.QueryResult;
      if (columns === undefined) described.set(name, columnsOf(result.fields, typeParser));
      return result;
    };
    const runPrepared = async (text: string, values: unknown[]) => {
      const ofGeneration = generation;
      try {
        return await runNamed(nameOf(text, ofGeneration), text, values);
      } catch (error) {
        if (!recover(error, ofGeneration)) throw error;
        return await query(text, values);
      }
    };
    client.query = ((...args: unknown[]) => {
      const [text, values] = args;
      const isPrepared = isUsable && args.length === 2 && typeof text === "string" && isPreparedQuery(text);
      return isPrepared && Array.isArray(values) ? runPrepared(text, values) : query(...args);
    }) as typeof client.query;
  });
}

const columnsOf = (fields: readonly pg.FieldDef[], typeParser: TypeParser): Column[] =>
  fields.map(({ name, dataTypeID }) => ({ name, parse: typeParser(dataTypeID) }));

/** Hashes each text once, since texts are long and few; a new generation replaces the names. */
function rememberedNames(): (text: string, generation: number) => string {
  const names = new Map<string, string>();
  let ofGeneration = 0;
  return (text, generation) => {
    if (generation !== ofGeneration) names.clear();
    ofGeneration = generation;
    let name = names.get(text);
    if (name === undefined) names.set(text, (name = `${statementName(text)}_${generation}`));
    return name;
  };
}
