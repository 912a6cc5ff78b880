/** The program of a mail worker, started by `launch-worker.ts`. */

import { createLogger } from "../operate/telemetry/logger.ts";
import { logUncaughtErrors } from "../operate/telemetry/uncaught-errors.ts";
import { parentLink } from "./parent-link.ts";
import { runMailWorker } from "./run-mail-worker.ts";

const logger = createLogger();
logUncaughtErrors(logger);
const link = parentLink();
// Without the owner process no mail can be stored. The worker exits: senders get no reply and keep their messages.
process.on("disconnect", () => process.exit(1));
// The owner may have ended while this program was loaded; then the event `disconnect` was emitted before the line
// above.
if (!process.connected) process.exit(1);
// Ctrl-C signals the whole process group, but only the owner decides when a worker ends.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
runMailWorker(link, logger);
