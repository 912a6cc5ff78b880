/** Starts the server like `main.ts`, but with fast password hashing, for tests that register many people. */

import { serve } from "@kauke/server/main";
import { argon2Hasher } from "@kauke/server/platform/workers/argon2-hasher";

await serve({ hasher: argon2Hasher({ memoryKib: 64, passes: 1 }) });
