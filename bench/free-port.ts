/** Finds a free TCP port on loopback, for programs that cannot report which port they were assigned. */
import { createServer } from "node:net";

/** Below the ports that Linux assigns to outgoing connections, one of which could take the port before its program. */
const [FIRST_PORT, LAST_PORT] = [20_000, 32_000];

export async function freeBenchPort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * (LAST_PORT - FIRST_PORT));
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const isListening = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => resolve(true));
  });
  if (isListening) await new Promise((resolve) => server.close(resolve));
  return isListening;
}
