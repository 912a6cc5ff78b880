/** The server as `main.ts` starts it, but it hashes passwords fast: for tests in which people come and go and no hash matters. */
import { argon2Hasher } from "@kauke/server/operate/workers/argon2-hasher";
import { serve } from "@kauke/server/serve";

await serve({ hasher: argon2Hasher({ memoryKib: 64, passes: 1 }) });
