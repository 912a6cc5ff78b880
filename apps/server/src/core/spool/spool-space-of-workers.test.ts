import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SPOOL_ROW_BYTES } from "../delivery/delivery.ts";
import { connectedWorkers } from "../worker-shares/connected-exchanges.testing.ts";
import { SpoolSpace } from "./spool-space.ts";

const MIB = 1_048_576;
const MAX = 256 * MIB;
const WORKERS = 16;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/**
 * Sends 1,000 messages to aliases of one account in one second, over 16 workers.
 * @returns its stored part of the maximum
 */
async function floodAccount(isConnected: boolean): Promise<number> {
  const held = new Map<string, number>();
  const { workers } = connectedWorkers(
    WORKERS,
    (shares) =>
      new SpoolSpace({
        deliveries: { spoolBytes: async (_, id) => held.get(id) ?? 0 },
        accountMaxBytes: MAX,
        disk: null,
        now: () => performance.now(),
        shares,
      }),
    isConnected,
  );
  for (let sent = 0; sent < 1000; sent++) {
    const aliasId = `alias ${sent % 10}`;
    const space = workers[sent % WORKERS] as SpoolSpace;
    const place = await space.reserve(MIB, [{ userId: "ann", aliasId }]).catch(() => null);
    if (place !== null) {
      for (const id of ["ann", aliasId]) held.set(id, (held.get(id) ?? 0) + MIB + SPOOL_ROW_BYTES);
      place.stored();
    }
    vi.advanceTimersByTime(1);
  }
  return (held.get("ann") ?? 0) / MAX;
}

test("an account's undelivered mail is limited over 16 workers", async () => {
  const part = await floodAccount(true);
  expect(part).toBeGreaterThan(0.9);
  // 45 messages of 1 MiB arrive in the 45 ms until all workers know of one; the maximum is 256 MiB.
  expect(part).toBeLessThan(1 + 45 / 256);
  // Control: without an exchange each worker admits a sixteenth of the maximum before it counts.
  expect(await floodAccount(false)).toBeGreaterThan(1.3);
});
