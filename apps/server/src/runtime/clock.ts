/** The system's clocks, as core's `Clock`. */
import type { Clock } from "./ports.ts";

export const systemClock: Clock = { now: () => new Date(), steadyMs: () => performance.now() };
