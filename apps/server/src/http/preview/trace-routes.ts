/**
 * `/preview/api/traces/{messageId}`: verdicts of each mail stage for a message. Preview mode only, with access to the
 * inbox.
 */
import type { FastifyInstance } from "fastify";
import type { MailTrace } from "../../core/preview/preview-inbox.ts";
import type { PreviewAccess } from "./preview-access.ts";

export function traceRoutes(app: FastifyInstance, trace: MailTrace | null, access: PreviewAccess): void {
  app.get<{ Params: { messageId: string } }>("/preview/api/traces/:messageId", async (request, reply) => {
    const isOpen = access.stateOf(request.raw) === "open";
    const steps = trace !== null && isOpen ? trace.get(request.params.messageId) : null;
    if (steps === null) return reply.code(404).send({ message: "Not found", code: "not_found" });
    return reply.header("cache-control", "no-store").send({ steps });
  });
}
