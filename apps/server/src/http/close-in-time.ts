/** Graceful shutdown: requests in progress may finish within `GRACE_MS`; then all connections are closed. */
import type { FastifyInstance } from "fastify";

const GRACE_MS = 3000;

export function closeInTime(app: FastifyInstance, graceMs = GRACE_MS): void {
  let cutOff: NodeJS.Timeout | undefined;
  app.addHook("preClose", async () => {
    cutOff = setTimeout(() => app.server.closeAllConnections(), graceMs);
    cutOff.unref();
  });
  // Idle keep-alive connections would delay the shutdown, so clients must close theirs; those of HTTP/2 get GOAWAY.
  app.addHook("onSend", async ({ raw }, reply) => {
    if (cutOff !== undefined && raw.httpVersionMajor === 1) reply.header("connection", "close");
  });
  app.server.on("close", () => clearTimeout(cutOff));
}
