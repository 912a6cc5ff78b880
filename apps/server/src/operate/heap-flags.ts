import { setFlagsFromString } from "node:v8";

/**
 * Lets message bytes, which live outside the heap, count towards the heap limit and grow in step with it. By default
 * they trigger a full collection every few dozen messages of a MiB
 * (docs/decisions/2026-11-21-native-body-hash.md).
 */
export function setHeapFlags(): void {
  setFlagsFromString("--external-memory-accounted-in-global-limit");
  setFlagsFromString("--external-memory-max-growing-factor=1.1");
}
