/** Runs the upkeep and the erasure of the embedded database in the background, about once a second. */
import { type Logger, steadyMs } from "../../core/ports.ts";
import { runEvery } from "../concurrency/background.ts";
import type { StoreContext } from "../store-context.ts";
import { embeddedErasure } from "./embedded-erasure.ts";
import { embeddedUpkeep } from "./embedded-upkeep.ts";

/** @returns a function that stops it */
export async function startUpkeep(
  { db, clock }: StoreContext,
  isSound: () => boolean,
  logger: Logger | undefined,
): Promise<() => Promise<void>> {
  // From its start on, the upkeep uses monotonic time, so that it does not pause after the system clock was set back.
  const [begunAt, begunMs] = [clock.now().getTime(), steadyMs(clock)];
  const now = () => new Date(begunAt + steadyMs(clock) - begunMs);
  const upkeep = await embeddedUpkeep(db, now());
  const erasure = embeddedErasure(db, { now: now(), ...(logger === undefined ? {} : { logger }) });
  let isReported = false;
  const work = async () => {
    if (isSound()) {
      await upkeep.tick(now());
      return await erasure.tick(now());
    }
    if (!isReported) logger?.error("store_disk_failed");
    isReported = true;
  };
  const job = runEvery({ firstAfterMs: 1000, everyMs: 1000, failureEvent: "store_upkeep_failed", logger, work });
  return () => job.stop();
}
