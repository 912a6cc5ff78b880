/**
 * Errors that nobody catches. Node's own way is to end the process and print the error, whose message can hold an address or a
 * subject. A rejected promise that nobody waits for leaves the rest of the process in order: it is logged, and everybody else is
 * served on, so that whoever finds a message or a request that causes one cannot stop the service with it. After an exception
 * that nobody catches the state is unknown: it is logged, and the process ends as if killed (nothing accepted is lost by that).
 */
import type { Logger } from "../../core/ports.ts";
import { traceOf } from "./error-trace.ts";

/** Exit code after an exception that nobody caught; 1 is a start that failed. */
const EXIT_UNCAUGHT = 70;

/** For the process' whole life. Call it once, before anything is started. */
export function logUnforeseenErrors(logger: Logger): void {
  process.on("unhandledRejection", (reason) => logger.error("rejection_unhandled", traceOf(reason)));
  process.on("uncaughtException", (thrown) => {
    logger.error("exception_uncaught", traceOf(thrown));
    process.exit(EXIT_UNCAUGHT);
  });
}
