/**
 * Fails when another program listens on a port. The workers themselves would not notice, because they share their
 * ports, and the mail would be divided between both programs.
 */
import { createServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import type { ListenConfig } from "../config.ts";

/** Milliseconds in which workers of an owner that was killed have ended, and with them their listeners. */
const LEFT_BEHIND_MS = 5000;
const AGAIN_MS = 50;

/** @throws the system's error (EADDRINUSE, EACCES) when a port can't be used, and is not free soon */
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
