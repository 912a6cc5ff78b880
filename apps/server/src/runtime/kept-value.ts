/** Caches a value that is the same for everybody, such as a count of all rows. */
import { withoutCallerTurn } from "./fair-queue/fair-queue.ts";

interface KeptValueOptions<Value> {
  forMs: number;
  now(): number;
  read(): Promise<Value>;
}

/** Returns the old value while one reading at a time refreshes it; a failed reading is repeated for the next caller. */
export function keptValue<Value>({ forMs, now, read }: KeptValueOptions<Value>): () => Promise<Value> {
  let kept: { value: Value; at: number } | null = null;
  let reading: Promise<Value> | null = null;
  const readAgain = async () => {
    try {
      const at = now();
      const value = await read();
      kept = { value, at };
      return value;
    } finally {
      reading = null;
    }
  };
  return async () => {
    if (kept !== null && now() - kept.at < forMs) return kept.value;
    reading ??= withoutCallerTurn(readAgain);
    if (kept === null) return reading;
    reading.catch(() => {});
    return kept.value;
  };
}
