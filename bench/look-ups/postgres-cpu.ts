/** CPU time of a PostgreSQL server on this machine, whose process is found through its backend for our connection. */
import { existsSync, readFileSync } from "node:fs";
import { openPostgres } from "@kauke/server/store/postgres/postgres";
import { openMeter } from "../cpu-meter.ts";

export interface PostgresCpu {
  seconds(): number;
  close(): void;
}

/** @returns the CPU meter; `null` when PostgreSQL runs on another machine, where it can't be measured */
export async function postgresCpu(databaseUrl: string): Promise<PostgresCpu | null> {
  const db = await openPostgres(databaseUrl, undefined);
  const { pid } = await db
    .selectNoFrom((select) => select.fn<number>("pg_backend_pid").as("pid"))
    .executeTakeFirstOrThrow();
  const status = `/proc/${pid}/status`;
  const text = existsSync(status) ? readFileSync(status, "utf8") : "";
  await db.destroy();
  if (!text.includes("Name:\tpostgres")) return null;
  const meter = openMeter("postgres");
  meter.join(Number(/^PPid:\t(\d+)/m.exec(text)?.[1]));
  return { seconds: () => meter.seconds(), close: () => meter.close() };
}
