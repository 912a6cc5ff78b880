/** The server as `main.ts` starts it, except that it connects to mail hosts on the port `BENCH_SMTP_PORT`, not 25. */
import { serve } from "@kauke/server/serve";

await serve({ direct: { port: Number(process.env.BENCH_SMTP_PORT) } });
