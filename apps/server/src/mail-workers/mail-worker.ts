/** The program of a mail worker, started by `launch-worker.ts`. */
import { setHeapFlags } from "../operate/heap-flags.ts";
import { createLogger } from "../operate/telemetry/logger.ts";
import { logUncaughtErrors } from "../operate/telemetry/uncaught-errors.ts";
import { parentLink } from "./parent-link.ts";
import { runMailWorker } from "./run-mail-worker.ts";

setHeapFlags();
const logger = createLogger();
logUncaughtErrors(logger);
const link = parentLink();
// Without the owner nothing can be stored: senders get no reply and keep their mail.
process.on("disconnect", () => process.exit(1));
// The owner may have ended while this program was loaded: that event is over then.
if (!process.connected) process.exit(1);
// Ctrl-C is sent to the whole process group; the owner decides when this process ends.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
runMailWorker(link, logger);
