/** `/preview/api/traces/{messageId}`: what each stage decided of a message; this machine only, preview mode only. */
import type { FastifyInstance } from "fastify";
import type { MailTrace } from "../../core/preview/mail-trace.ts";
import { isPreviewAllowed } from "./is-preview-allowed.ts";

export function traceRoutes(app: FastifyInstance, trace: MailTrace | null, ownHost?: string): void {
  app.get<{ Params: { messageId: string } }>("/preview/api/traces/:messageId", async (request, reply) => {
    const steps = trace !== null && isPreviewAllowed(request.raw, ownHost) ? trace.get(request.params.messageId) : null;
    if (steps === null) return reply.code(404).send({ message: "Not found", code: "not_found" });
    return reply.header("cache-control", "no-store").send({ steps });
  });
}
