/** A close that ends: no new connections, running requests finish, and who is not done after a moment is cut off. */
import type { FastifyInstance } from "fastify";

const GRACE_MS = 3000;

export function closeInTime(app: FastifyInstance, graceMs = GRACE_MS): void {
  let cutOff: NodeJS.Timeout | undefined;
  app.addHook("preClose", async () => {
    cutOff = setTimeout(() => app.server.closeAllConnections(), graceMs);
    cutOff.unref();
  });
  // A connection kept alive after its last answer would hold up the close until it is cut off.
  app.addHook("onSend", async (_, reply) => {
    if (cutOff !== undefined) reply.header("connection", "close");
  });
  app.server.on("close", () => clearTimeout(cutOff));
}
