import type { Clock } from "../runtime/ports.ts";
import type { ChangeSignals } from "./change-signals.ts";
import type { Database } from "./database.ts";
import type { ServerKeys } from "./sealing/server-keys.ts";

export interface StoreContext {
  db: Database;
  keys: ServerKeys;
  clock: Clock;
  signals: ChangeSignals;
}
