/** Starts the server like `main.ts`, but with fast password hashing, for tests that register many people. */
import { readFileSync } from "node:fs";
import type { ProviderTimes } from "@kauke/server/core/forwarding/provider-times";
import { argon2Hasher } from "@kauke/server/platform/workers/argon2-hasher";
import { stopRequest } from "@kauke/server/runtime/stop-request";
import { serve } from "@kauke/server/serve";

// No test can listen on port 25, to which mail hosts are asked otherwise.
const port = Number(process.env.TEST_DIRECT_PORT ?? 25);
// The forwarding provider's worker waits for up to a minute, which is too long for many rounds.
const times = process.env.TEST_PROVIDER_TIMES;
const closeLimit = process.env.TEST_CLOSE_LIMIT_MS;
// Path of a file with the milliseconds by which the server's clock is ahead of the machine's.
const clockFile = process.env.TEST_CLOCK_FILE;
const now = (file: string) => new Date(Date.now() + Number(readFileSync(file, "utf8")));
await serve(stopRequest(), {
  hasher: argon2Hasher({ memoryKib: 64, passes: 1 }),
  direct: { port },
  ...(closeLimit === undefined ? {} : { closeLimitMs: Number(closeLimit) }),
  ...(clockFile === undefined
    ? {}
    : {
        clock: { now: () => now(clockFile), steadyMs: () => performance.now() },
        // Own domains that are due by that clock are looked at soon.
        domainChecks: { domainPollMs: 100 },
      }),
  ...(times === undefined ? {} : { providerTimes: JSON.parse(times) as Partial<ProviderTimes> }),
});
