/**
 * The built web app: files under /assets never change and may be kept for ever, everything else is asked for again. Any other
 * GET gets index.html, with 404 when the page is none of ours, so that the app shows its own "Page Not Found".
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import fastifyStatic from "@fastify/static";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Config } from "../../config.ts";
import { AppError } from "../../core/app-error.ts";
import { googleMeta } from "./google-meta.ts";
import { isApiPath, isFilePath, isPage, isPreviewPage } from "./page-routes.ts";

declare module "fastify" {
  interface FastifyReply {
    /** Answers with the web app's document, for paths that the app itself draws. */
    sendPage(status: number): Promise<FastifyReply>;
  }
}

const NOT_BUILT = "The web app has not been built yet. Start Kauke with `npm start`, which builds it.\n";

interface SiteOptions {
  /** Folder with index.html and assets/; it may come into being later. */
  webRoot: string;
  mayOpenPreview?: (request: FastifyRequest) => boolean;
  /** Put into the document as `<meta name="links">`; the web app takes footer and feedback addresses from it. */
  links: Config["links"];
  /** Put into the document as `<meta name="google-sign-in">`. */
  hasGoogle: boolean;
}

export async function serveSite(
  app: FastifyInstance,
  { webRoot, mayOpenPreview, links, hasGoogle }: SiteOptions,
): Promise<void> {
  await app.register(fastifyStatic, {
    root: webRoot,
    serve: false,
    index: false,
    dotfiles: "ignore",
    cacheControl: false,
    preCompressed: true,
    suppressWarning: true,
    setHeaders: (reply, path) => void reply.header("cache-control", cachingOf(path, webRoot)),
  });
  app.decorateReply("sendPage", async function (this: FastifyReply, status: number) {
    return sendDocument(this, { file: join(webRoot, "index.html"), status, links, hasGoogle });
  });
  app.get("/*", async (request, reply) => {
    const pathname = pathOf(request.url);
    if (isApiPath(pathname)) throw new AppError("not_found");
    if (isFilePath(pathname)) return reply.sendFile(decodeURIComponent(pathname));
    const exists = isPage(pathname) || (isPreviewPage(pathname) && mayOpenPreview?.(request) === true);
    return reply.sendPage(exists ? 200 : 404);
  });
  app.setNotFoundHandler(async (request, reply) => {
    if (request.method !== "GET" && request.method !== "HEAD") throw new AppError("not_found");
    return reply.code(404).header("cache-control", "no-store").type("text/plain; charset=utf-8").send("Not found\n");
  });
}

function cachingOf(path: string, webRoot: string): string {
  return path.startsWith(join(webRoot, "assets")) ? "public, max-age=31536000, immutable" : "no-cache";
}

async function sendDocument(
  reply: FastifyReply,
  { file, status, links, hasGoogle }: { file: string; status: number } & Pick<SiteOptions, "links" | "hasGoogle">,
): Promise<FastifyReply> {
  const document = await readFile(file, "utf8").catch(() => null);
  reply.header("cache-control", "no-cache");
  if (document === null) return reply.code(503).type("text/plain; charset=utf-8").send(NOT_BUILT);
  const meta = `<meta name="links" content="${escapeAttribute(JSON.stringify(links))}">${googleMeta(hasGoogle)}</head>`;
  return reply
    .code(status)
    .type("text/html; charset=utf-8")
    .send(document.replace("</head>", () => meta));
}

function escapeAttribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}

function pathOf(url: string): string {
  return url.split("?", 1)[0] ?? "/";
}
