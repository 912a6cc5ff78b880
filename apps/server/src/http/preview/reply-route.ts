/**
 * `POST /preview/api/messages/{id}/reply`: replies to a message in the preview inbox as the owner of the mailbox that
 * got it. Exists only in preview mode, for requests with access to the inbox.
 */
import { previewReplyBody } from "@kauke/contract";
import type { FastifyInstance } from "fastify";
import { type AnswerPreviewDeps, answerPreview } from "../../core/preview/preview-reply.ts";
import { parseBody } from "../request/parse-body.ts";
import type { PreviewAccess } from "./preview-access.ts";

/** @param deps dependencies of the use case; `null` outside preview mode */
export function replyRoute(app: FastifyInstance, deps: AnswerPreviewDeps | null, access: PreviewAccess): void {
  void app.register(async (scope) => {
    // This hook runs before the body is read. A request without access to the preview inbox gets a 404.
    scope.addHook("onRequest", async (request, reply) => {
      reply.header("cache-control", "no-store");
      if (deps === null || access.stateOf(request.raw) !== "open")
        return reply.code(404).send({ message: "Not found", code: "not_found" });
    });
    scope.post<{ Params: { id: string } }>("/preview/api/messages/:id/reply", async ({ params, body }, reply) => {
      const answer = parseBody(previewReplyBody, body);
      if (deps !== null) await answerPreview({ ...params, ...answer }, deps);
      return reply.send({ message: "Reply sent" });
    });
  });
}
