/** The real time, behind core's port. */
import type { Clock } from "../core/ports.ts";

export const systemClock: Clock = { now: () => new Date(), steadyMs: () => performance.now() };
