/**
 * HTML documents of the web app: read from the build, filled with the server's settings, compressed once, and cached
 * until the file in the build changes. A page for visitors without a session was prerendered at build time; the plain
 * shell fits any path.
 */
import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { fillPage, pageAddress, pageMetas, type SiteSettings } from "./page-values.ts";

const packed = promisify(gzip);

export interface PageDocument {
  html: Buffer;
  gzipped: Buffer;
  /** Quoted entity tag of the document's HTML (RFC 9110 §8.8.3). */
  etag: string;
}

interface Wanted {
  /** Name of a prerendered page, e.g. `about`; null for the plain shell of the web app. */
  drawn: string | null;
  canonicalPath: string | null;
}

interface Kept {
  writtenAt: number;
  document: Promise<PageDocument>;
}

/**
 * @returns a function that finds the HTML document of a page: the plain shell if the page is not prerendered, null if
 * the web app is not built
 */
export function pageDocuments(webRoot: string, settings: SiteSettings) {
  const kept = new Map<string, Kept>();
  const read = async (file: string, canonicalPath: string | null): Promise<PageDocument | null> => {
    const writtenAt = await stat(file).then(
      ({ mtimeMs }) => mtimeMs,
      () => null,
    );
    if (writtenAt === null) return null;
    const key = `${file} ${canonicalPath}`;
    const before = kept.get(key);
    if (before?.writtenAt === writtenAt) return before.document;
    const document = makeDocument(file, settings, canonicalPath);
    kept.set(key, { writtenAt, document });
    document.catch(() => kept.delete(key));
    return document;
  };
  return async ({ drawn, canonicalPath }: Wanted): Promise<PageDocument | null> => {
    const page = drawn === null ? null : await read(join(webRoot, "pages", `${drawn}.html`), canonicalPath);
    return page ?? read(join(webRoot, "index.html"), canonicalPath);
  };
}

async function makeDocument(file: string, settings: SiteSettings, canonicalPath: string | null): Promise<PageDocument> {
  const metas = `${pageAddress(settings, canonicalPath)}${pageMetas(settings)}</head>`;
  const text = fillPage(await readFile(file, "utf8"), settings).replace("</head>", () => metas);
  const html = Buffer.from(text);
  const etag = `"${createHash("sha256").update(html).digest("base64url").slice(0, 22)}"`;
  return { html, gzipped: await packed(html, { level: 9 }), etag };
}
