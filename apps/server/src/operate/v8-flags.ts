import { setFlagsFromString } from "node:v8";

/** Milliseconds without a collection of the whole heap after which V8 may shrink it; its defaults are 8 and 30 seconds. */
const SHRINK_AFTER_MS = 15 * 60_000;

/**
 * By how much the old generation may grow before it is collected, as a percentage of what the last collection left. V8
 * would choose between 10 and 300 %, the more the busier the process was.
 */
const GROWTH_PERCENT = 100;

/** Calls of a function after which V8 compiles it with its optimising compiler; its default is 3,000. */
const OPTIMISE_AFTER_CALLS = 300;

/**
 * Sets when V8 collects the whole heap, where it allocates objects and when it optimises code. Call it when the process
 * starts.
 *
 * Message bytes, which live outside the heap, count towards the heap limit. By default they trigger a collection of
 * the whole heap every few dozen messages of a MiB (docs/decisions/2026-11-21-native-body-hash.md).
 *
 * A process at rest shrinks its heap rarely: mail comes in bursts, and after each collection of a process at rest the
 * next messages cost a quarter more (docs/decisions/2026-11-25-heap-at-rest.md). For the same reason a collection of the
 * young generation at rest does not lower the limit of the old one, and the limit does not depend on how busy the
 * process was (docs/decisions/2026-11-25-limit-after-a-rest.md).
 *
 * By default V8 allocates an object directly in the old generation when most earlier objects from the same line of code
 * lived long. For objects of sockets that guess is often wrong, and an object in the old generation keeps everything it
 * refers to until the whole heap is collected: 5 KB for each message (docs/decisions/2026-11-25-short-lived-sockets.md).
 *
 * A message calls hundreds of functions, most of them once, so by default V8 optimises them only after thousands of
 * messages (docs/decisions/2026-11-25-early-optimisation.md).
 */
export function setV8Flags(): void {
  setFlagsFromString("--external-memory-accounted-in-global-limit");
  setFlagsFromString(`--gc-memory-reducer-start-delay-ms=${SHRINK_AFTER_MS}`);
  setFlagsFromString(`--memory-reducer-delay-ms=${SHRINK_AFTER_MS}`);
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  setFlagsFromString("--no-scavenger-updates-allocation-limit");
  setFlagsFromString("--no-allocation-site-pretenuring");
  setFlagsFromString(`--invocation-count-for-turbofan=${OPTIMISE_AFTER_CALLS}`);
}
