/**
 * Raises the default timeout of `vi.waitFor`: a wait ends when the condition holds, and how long that takes depends on
 * the machine.
 */
import { vi } from "vitest";

const PATIENCE_MS = 30_000;
const { waitFor } = vi;

// Test files that run in one process share `vi`, so it is wrapped once.
if (!("isPatient" in waitFor)) {
  const patient: typeof waitFor = (look, options = {}) =>
    waitFor(look, typeof options === "number" ? options : { timeout: PATIENCE_MS, ...options });
  vi.waitFor = Object.assign(patient, { isPatient: true });
}
