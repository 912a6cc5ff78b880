/**
 * The server as `main.ts` starts it, but for one thing no setting offers: it tries nothing while a sender waits. Every message
 * is on disk before it is answered and is tried once, from the spool, as a mail queue does it.
 */
import { setFlagsFromString } from "node:v8";
import { readConfigOrExit } from "@kauke/server/config-read";
import { createLogger } from "@kauke/server/operate/logger";
import { startServer } from "@kauke/server/start-server";

// As in main.ts.
setFlagsFromString("--external-memory-accounted-in-global-limit");
setFlagsFromString("--external-memory-max-growing-factor=1.1");

const logger = createLogger();
const running = await startServer(readConfigOrExit(process.cwd()), logger, { spoolsFirst: true });
for (const [service, port] of Object.entries(running.ports)) logger.info("listening", { service, port });
process.stdout.write("The server that spools first is running.\n");
process.once("SIGTERM", () => void running.close().then(() => process.exit(0)));
