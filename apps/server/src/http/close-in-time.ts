/**
 * Graceful shutdown with a deadline: accepts no new connections, lets requests in progress finish, and closes the
 * remaining connections after `GRACE_MS`.
 */
import type { FastifyInstance } from "fastify";

const GRACE_MS = 3000;

export function closeInTime(app: FastifyInstance, graceMs = GRACE_MS): void {
  let cutOff: NodeJS.Timeout | undefined;
  app.addHook("preClose", async () => {
    cutOff = setTimeout(() => app.server.closeAllConnections(), graceMs);
    cutOff.unref();
  });
  // Tells clients to close their connections, because an idle keep-alive connection would delay the shutdown until the
  // deadline.
  app.addHook("onSend", async (_, reply) => {
    if (cutOff !== undefined) reply.header("connection", "close");
  });
  app.server.on("close", () => clearTimeout(cutOff));
}
