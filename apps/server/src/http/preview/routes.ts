/** `/preview/api`, a 404 without access (`preview-access.ts`). A message's HTML is a response with its own sandbox. */
import { type PreviewMessage, type ProblemBody, previewReplyBody } from "@kauke/contract";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { MailTrace, PreviewFile, PreviewInbox } from "../../core/preview/preview-inbox.ts";
import { type PreviewReplyDeps, replyToPreview } from "../../core/preview/preview-reply.ts";
import { parseBody } from "../request/parse-body.ts";
import type { PreviewAccess } from "./preview-access.ts";
import { openLinksInTabs } from "./preview-page.ts";

/** In the frame that shows a message, nothing may run, load or navigate. Its links open in new tabs. */
export const previewHtmlPolicy =
  "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'self'";
const FILE_POLICY = "sandbox; default-src 'none'; frame-ancestors 'none'";

type ById = { Params: { id: string } };
type ByFile = { Params: { id: string; index: string } };
type Raw = ById & { Querystring: { download?: string } };
type Html = ById & { Querystring: { dark?: string } };

/** For a frame that the page inverts: pictures are inverted twice, so they look as they were sent. */
const DARK_STYLE = "<style>img,picture,video{filter:invert(1) hue-rotate(180deg)}</style>";

const notFound: ProblemBody = { message: "Not found", code: "not_found" };

export function previewRoutes(app: FastifyInstance, inbox: PreviewInbox | null, access: PreviewAccess): void {
  void app.register(async (scope) => {
    scope.addHook("onRequest", async (request, reply) => {
      reply.header("cache-control", "no-store").header("x-content-type-options", "nosniff");
      if (inbox === null || access.stateOf(request.raw) !== "open") return reply.code(404).send(notFound);
    });
    if (inbox === null) scope.all("/preview/api/*", (_request, reply) => reply.code(404).send(notFound));
    else mount(scope, inbox);
  });
}

function mount(scope: FastifyInstance, inbox: PreviewInbox): void {
  scope.get("/preview/api/messages", async () => ({ messages: await inbox.list() }));
  scope.delete("/preview/api/messages", async (_request, reply) => {
    inbox.clear();
    return reply.send({ message: "Preview inbox emptied" });
  });
  scope.get<ById>("/preview/api/messages/:id", async ({ params }, reply): Promise<PreviewMessage | FastifyReply> => {
    return (await inbox.get(params.id)) ?? reply.code(404).send(notFound);
  });
  scope.get<Html>("/preview/api/messages/:id/html", async ({ params, query }, reply) => {
    const html = await inbox.html(params.id);
    if (html === null) return reply.code(404).send(notFound);
    reply.header("content-security-policy", previewHtmlPolicy).type("text/html; charset=utf-8");
    return reply.send((query.dark === undefined ? "" : DARK_STYLE) + openLinksInTabs(html));
  });
  scope.get<Raw>("/preview/api/messages/:id/raw", async ({ params, query }, reply) => {
    const bytes = inbox.raw(params.id);
    if (bytes === null) return reply.code(404).send(notFound);
    if (query.download !== undefined)
      return sendFile(reply, { filename: "message.eml", contentType: "message/rfc822", bytes });
    return reply.header("content-security-policy", FILE_POLICY).type("text/plain; charset=utf-8").send(bytes);
  });
  scope.get<ByFile>("/preview/api/messages/:id/files/:index", async ({ params }, reply) => {
    const file = /^[0-9]{1,4}$/.test(params.index) ? await inbox.file(params.id, Number(params.index)) : null;
    return file === null ? reply.code(404).send(notFound) : sendFile(reply, file);
  });
}

/** Sends an attachment as plain bytes: its sender's content type must not decide what our origin serves. */
function sendFile(reply: FastifyReply, { filename, bytes }: PreviewFile): FastifyReply {
  return reply
    .header("content-security-policy", FILE_POLICY)
    .header("content-disposition", attachmentDisposition(filename))
    .type("application/octet-stream")
    .send(bytes);
}

/**
 * @returns Content-Disposition (RFC 6266) with an ASCII fallback, e.g. `attachment; filename="na_ve.txt";
 * filename*=UTF-8''na%C3%AFve.txt`
 */
export function attachmentDisposition(filename: string): string {
  const safe = filename
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}/\\:]/gu, "_")
    .slice(-150);
  const encoded = encodeURIComponent(safe.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${safe.replace(/[^\x20-\x7e]|["%]/g, "_")}"; filename*=UTF-8''${encoded}`;
}

export function replyRoute(app: FastifyInstance, deps: PreviewReplyDeps | null, access: PreviewAccess): void {
  void app.register(async (scope) => {
    // The access to the preview inbox is checked before the body is read.
    scope.addHook("onRequest", async (request, reply) => {
      reply.header("cache-control", "no-store");
      if (deps === null || access.stateOf(request.raw) !== "open")
        return reply.code(404).send({ message: "Not found", code: "not_found" });
    });
    scope.post<{ Params: { id: string } }>("/preview/api/messages/:id/reply", async ({ params, body }, reply) => {
      const typed = parseBody(previewReplyBody, body);
      if (deps !== null) await replyToPreview({ ...params, ...typed }, deps);
      return reply.send({ message: "Reply sent" });
    });
  });
}

export function traceRoutes(app: FastifyInstance, trace: MailTrace | null, access: PreviewAccess): void {
  app.get<{ Params: { messageId: string } }>("/preview/api/traces/:messageId", async (request, reply) => {
    const isOpen = access.stateOf(request.raw) === "open";
    const steps = trace !== null && isOpen ? trace.get(request.params.messageId) : null;
    if (steps === null) return reply.code(404).send({ message: "Not found", code: "not_found" });
    return reply.header("cache-control", "no-store").send({ steps });
  });
}
