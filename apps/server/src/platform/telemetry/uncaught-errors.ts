/**
 * Handles errors that nothing catches. By default Node ends the process and prints the error, whose message can contain
 * an address or a subject. After an unhandled promise rejection the rest of the process is intact: the rejection is
 * logged and the server goes on, so that a message or request that causes one cannot stop the service. After an
 * uncaught exception the state is unknown: the exception is logged and the process exits as if killed (no accepted mail
 * is lost).
 */
import type { Logger } from "../../runtime/ports.ts";
import { traceOf } from "./error-trace.ts";

/** Exit code after an uncaught exception; 1 is a failed start. */
const EXIT_UNCAUGHT = 70;

/** Installs handlers for the whole life of the process. Call it once, before anything is started. */
export function logUncaughtErrors(logger: Logger): void {
  process.on("unhandledRejection", (reason) => logger.error("rejection_unhandled", traceOf(reason)));
  process.on("uncaughtException", (thrown) => {
    logger.error("exception_uncaught", traceOf(thrown));
    process.exit(EXIT_UNCAUGHT);
  });
}
