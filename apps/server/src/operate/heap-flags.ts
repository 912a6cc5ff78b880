import { setFlagsFromString } from "node:v8";

/** Milliseconds without a collection of the whole heap after which V8 may shrink it; its defaults are 8 and 30 seconds. */
const SHRINK_AFTER_MS = 15 * 60_000;

/**
 * Sets when V8 collects the whole heap. Call it when the process starts.
 *
 * Message bytes, which live outside the heap, count towards the heap limit. By default they trigger a collection of
 * the whole heap every few dozen messages of a MiB (docs/decisions/2026-11-21-native-body-hash.md).
 *
 * A process at rest shrinks its heap rarely: mail comes in bursts, and after each collection of a process at rest the
 * next messages cost a quarter more (docs/decisions/2026-11-25-heap-at-rest.md).
 */
export function setHeapFlags(): void {
  setFlagsFromString("--external-memory-accounted-in-global-limit");
  setFlagsFromString(`--gc-memory-reducer-start-delay-ms=${SHRINK_AFTER_MS}`);
  setFlagsFromString(`--memory-reducer-delay-ms=${SHRINK_AFTER_MS}`);
}
