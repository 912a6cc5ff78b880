/** A value that is the same for everybody who asks, such as a count of all rows. */
import { withoutCallerTurn } from "./fair-queue/fair-queue.ts";

interface KeptValueOptions<Value> {
  /** Milliseconds for which a value is returned before it is read again. */
  forMs: number;
  /** Clock in milliseconds. */
  now(): number;
  read(): Promise<Value>;
}

/**
 * @returns a function that returns the value, however many ask, from one reading at a time. While an old value is read
 * again, it is returned; a failed reading is repeated for the next who asks
 */
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
