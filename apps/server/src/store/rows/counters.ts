/** Named totals for statistics of the whole server; never counted per user. */
import { sql } from "kysely";
import type { StoreContext } from "../store-context.ts";

export interface CounterStore {
  add(name: string, by?: number): Promise<void>;
  /** Reads one total; 0 for a name that was never counted. */
  read(name: string): Promise<number>;
}

export function counterStore({ db }: StoreContext): CounterStore {
  return {
    add: async (name, by = 1) => {
      await db
        .insertInto("counter")
        .values({ name, value: by })
        .onConflict((conflict) => conflict.column("name").doUpdateSet({ value: sql`counter.value + excluded.value` }))
        .execute();
    },
    read: async (name) => {
      const row = await db.selectFrom("counter").select("value").where("name", "=", name).executeTakeFirst();
      return row?.value ?? 0;
    },
  };
}
