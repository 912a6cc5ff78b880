/** Serves the built web app; assets of the last build stay for a day, for pages opened before an update. */
import { join } from "node:path";
import fastifyStatic from "@fastify/static";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../../core/app-error.ts";
import type { SessionCookie } from "../cookies.ts";
import type { PreviewAccess } from "../preview/preview-access.ts";
import { sendPreviewPage } from "../preview/preview-page.ts";
import { acceptsGzip } from "../response/compressed-text.ts";
import { type PageDocument, pageDocuments, type SiteSettings } from "./page-documents.ts";
import { pageLanguage } from "./page-language.ts";
import { findPage, indexedPaths, isApiPath, isFilePath, isPreviewPage, type KnownPage } from "./page-routes.ts";

/** Crawlers may fetch private pages, except the preview inbox, because they see a page's `noindex` only then. */
function robotsText(origin: string): string {
  return `User-agent: *\nDisallow: /api/\nDisallow: /preview\n\nSitemap: ${origin}/sitemap.xml\n`;
}

function sitemapXml(origin: string): string {
  const urls = indexedPaths().map((path) => `  <url><loc>${origin}${path}</loc></url>\n`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join("")}</urlset>\n`;
}

declare module "fastify" {
  interface FastifyReply {
    sendPage(status: number): Promise<FastifyReply>;
  }
}

const NOT_BUILT = "The web app has not been built yet. Start Kauke with `npm start`, which builds it.\n";

const missing: KnownPage = { drawn: "not-found", canonicalPath: null };
const plain: KnownPage = { drawn: null, canonicalPath: null };

interface SiteOptions {
  /** Directory with index.html, pages/, assets/ and former/assets/; may be created later. */
  webRoot: string;
  preview: PreviewAccess;
  settings: SiteSettings;
  cookie: SessionCookie;
}

export async function serveSite(app: FastifyInstance, options: SiteOptions): Promise<void> {
  const { webRoot, preview, settings, cookie } = options;
  const findDocument = pageDocuments(webRoot, settings);
  await app.register(fastifyStatic, {
    // The folder `former` has files of the last build (scripts/former-assets.ts).
    root: [webRoot, join(webRoot, "former")],
    serve: false,
    index: false,
    dotfiles: "ignore",
    cacheControl: false,
    preCompressed: true,
    suppressWarning: true,
    setHeaders: (reply, path) => void reply.header("cache-control", cachingOf(path, webRoot)),
  });
  const send = async (reply: FastifyReply, { drawn, begun, canonicalPath, isForAll }: KnownPage, status: number) => {
    const mayBeSignedIn = isForAll !== true && cookie.read(reply.request) !== null;
    const document = await findDocument({
      drawn: mayBeSignedIn ? (begun ?? null) : drawn,
      canonicalPath,
      language: pageLanguage(reply.request),
    });
    return sendDocument(reply, document, status);
  };
  app.decorateReply("sendPage", async function (this: FastifyReply, status: number) {
    return send(this, plain, status);
  });
  mountFiles(app, settings.publicUrl.origin);
  app.get("/*", async (request, reply) => {
    const pathname = pathOf(request.url);
    if (isApiPath(pathname)) throw new AppError("not_found");
    // HTML documents are never sent as plain files, because the settings have to be filled in.
    if (isFilePath(pathname) && !isDocument(pathname)) return reply.sendFile(decodeURIComponent(pathname));
    if (isPreviewPage(pathname)) return sendPreviewPage(request, reply, { access: preview, send });
    const page = findPage(pathname);
    return send(reply, page ?? missing, page === null ? 404 : 200);
  });
  app.setNotFoundHandler(async (request, reply) => {
    // Files of the build and well-known URIs (RFC 8615) are requested by programs, which get a line of text.
    // Anything else may be a user's typing error and gets the page "not found".
    return /^\/(?:assets|\.well-known)(?:\/|$)/i.test(pathOf(request.url))
      ? respondNotFound(reply)
      : send(reply, missing, 404);
  });
}

function mountFiles(app: FastifyInstance, origin: string): void {
  const robots = robotsText(origin);
  const sitemap = sitemapXml(origin);
  const fresh = (reply: FastifyReply) => reply.header("cache-control", "no-cache");
  app.get("/robots.txt", async (_, reply) => fresh(reply).type("text/plain; charset=utf-8").send(robots));
  app.get("/sitemap.xml", async (_, reply) => fresh(reply).type("application/xml; charset=utf-8").send(sitemap));
}

const isDocument = (pathname: string): boolean => /\.html$/i.test(decodeURIComponent(pathname));

export function respondNotFound(reply: FastifyReply): FastifyReply {
  return reply.code(404).header("cache-control", "no-store").type("text/plain; charset=utf-8").send("Not found\n");
}

function cachingOf(path: string, webRoot: string): string {
  const isAsset = ["assets", "former/assets"].some((folder) => path.startsWith(join(webRoot, folder)));
  return isAsset ? "public, max-age=31536000, immutable" : "no-cache";
}

function sendDocument(reply: FastifyReply, document: PageDocument | null, status: number): FastifyReply {
  reply.header("vary", "Cookie, Accept-Encoding, Accept-Language");
  if (!reply.hasHeader("cache-control")) reply.header("cache-control", "no-cache");
  if (document === null) return reply.code(503).type("text/plain; charset=utf-8").send(NOT_BUILT);
  const { headers } = reply.request;
  const { html, gzipped, etag } = document;
  // The entity tag is weak, because the compressed form is the same document in other bytes (RFC 9110 §8.8.1).
  reply.header("etag", `W/${etag}`);
  if (status === 200 && headers["if-none-match"]?.includes(etag)) return reply.code(304).send();
  reply.code(status).type("text/html; charset=utf-8");
  if (!acceptsGzip(headers)) return reply.send(html);
  return reply.header("content-encoding", "gzip").send(gzipped);
}

function pathOf(url: string): string {
  return url.split("?", 1)[0] ?? "/";
}

const POLICY_PATH = "/.well-known/mta-sts.txt";
const hostOf = (request: FastifyRequest): string => request.hostname.toLowerCase().replace(/\.$/, "");

interface StsHosts {
  domains: readonly string[];
  policy: () => string;
  /** The policy of an account's domain; `null` for a name that is not its policy host. @param host in lower case */
  policyOfAccount?: (host: string) => string | null;
}

/** The MTA-STS policy (RFC 8461 §3.2), only for the hosts `mta-sts.<domain>` that the reverse proxy forwards. */
export function mtaStsRoute(app: FastifyInstance, { domains, policy, policyOfAccount = () => null }: StsHosts): void {
  const hosts = new Set(domains.map((domain) => `mta-sts.${domain}`));
  // The owner of a domain can lead its policy host elsewhere later, so that nobody may get used to signing in there.
  app.addHook("onRequest", async (request, reply) => {
    const isUsual = !/^\/\.well-known\/(?:mta-sts\.txt$|acme-challenge\/)/.test(pathOf(request.url));
    return isUsual && policyOfAccount(hostOf(request)) !== null ? respondNotFound(reply) : undefined;
  });
  app.get(POLICY_PATH, async (request, reply) => {
    const host = hostOf(request);
    const text = hosts.has(host) ? policy() : policyOfAccount(host);
    if (text === null) return reply.callNotFound();
    return reply.header("cache-control", "no-cache").type("text/plain; charset=utf-8").send(text);
  });
}
