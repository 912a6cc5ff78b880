/**
 * The server as `main.ts` starts it, with three exceptions: it connects to all mail hosts on the port `TEST_SMTP_PORT`,
 * asks no mailbox for confirmation, and hashes passwords fast.
 */
import { readConfigOrExit } from "@kauke/server/config-read";
import { createLogger } from "@kauke/server/operate/telemetry/logger";
import { argon2Hasher } from "@kauke/server/operate/workers/argon2-hasher";
import { startServer } from "@kauke/server/start-server";
import { inProcessWorkers } from "@kauke/testkit/in-process-workers";

const logger = createLogger();
const direct = { port: Number(process.env.TEST_SMTP_PORT) };
const { ports } = await startServer(readConfigOrExit(process.cwd()), logger, {
  direct,
  // Mail workers run in this process: worker processes would not know the test port and connect to port 25.
  launchWorker: inProcessWorkers(logger, { direct }),
  hasher: argon2Hasher({ memoryKib: 64, passes: 1 }),
  asksForConfirmation: false,
});
for (const [service, port] of Object.entries(ports)) if (port !== null) logger.info("listening", { service, port });
process.stdout.write("is running\n");
