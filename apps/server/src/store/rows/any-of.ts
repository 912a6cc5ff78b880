/**
 * Lists of any length in a condition, as one parameter: a statement has 65,535 of them at most, and what an account owns can be more.
 * Use as the right side of `=`.
 */
import { type RawBuilder, sql } from "kysely";

export const anyOfIds = (ids: readonly string[]): RawBuilder<string> => sql<string>`ANY(${ids}::uuid[])`;

/** Bytes travel as hex: arrays of bytea are slow. */
export function anyOfBytes(values: readonly Buffer[]): RawBuilder<Buffer> {
  const hex = values.map((value) => value.toString("hex"));
  return sql<Buffer>`ANY(ARRAY(SELECT decode(value, 'hex') FROM unnest(${hex}::text[]) AS given (value)))`;
}
