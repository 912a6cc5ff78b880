/**
 * The server as `main.ts` starts it, with three exceptions: it connects to all mail hosts on the port `TEST_SMTP_PORT`,
 * asks no mailbox for confirmation, and hashes passwords fast.
 */

import { start } from "@kauke/server/app";
import { limitNames } from "@kauke/server/limits/named-limits";
import { createLogger } from "@kauke/server/platform/telemetry/logger";
import { argon2Hasher } from "@kauke/server/platform/workers/argon2-hasher";
import { readConfigOrExit } from "@kauke/server/settings/read-config";

const logger = createLogger();
const { ports } = await start(readConfigOrExit(process.cwd(), limitNames), logger, {
  direct: { port: Number(process.env.TEST_SMTP_PORT) },
  hasher: argon2Hasher({ memoryKib: 64, passes: 1 }),
  asksForConfirmation: false,
});
for (const [service, port] of Object.entries(ports)) if (port !== null) logger.info("listening", { service, port });
process.stdout.write("is running\n");
