/**
 * Refuses to start the mail workers when another program listens on one of their ports. The workers would not notice,
 * because they share their ports, and connections would be divided between both programs.
 */
import { createServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import type { ListenConfig } from "../config.ts";

/** Milliseconds to wait for workers of a killed owner, which end by themselves and free their ports. */
const LEFT_BEHIND_MS = 5000;
const AGAIN_MS = 50;

/** @throws the system's error (EADDRINUSE, EACCES) when a port can't be used; a taken port is tried for `waitMs` */
export async function refuseTakenPorts(wanted: readonly ListenConfig[], waitMs = LEFT_BEHIND_MS): Promise<void> {
  const giveUpAt = performance.now() + waitMs;
  for (const listen of wanted) if (listen.port !== 0) await untilFree(listen, giveUpAt);
}

async function untilFree(listen: ListenConfig, giveUpAt: number): Promise<void> {
  for (;;) {
    try {
      return await listenOnce(listen);
    } catch (thrown) {
      const isTaken = (Object(thrown) as { code?: unknown }).code === "EADDRINUSE";
      if (!isTaken || performance.now() > giveUpAt) throw thrown;
      await wait(AGAIN_MS);
    }
  }
}

async function listenOnce(listen: ListenConfig): Promise<void> {
  const server = createServer();
  await new Promise<void>((done, fail) => {
    server.once("error", fail);
    server.listen({ ...listen, exclusive: true }, done);
  });
  await new Promise((done) => server.close(done));
}
