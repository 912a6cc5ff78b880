/**
 * The documents of the web app as they are sent: read from the build, filled with the server's settings, packed once, and kept
 * until the file changes. A page for who isn't signed in was drawn at build time; the plain shell fits any path.
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
  /** Of the content, quoted as RFC 9110 section 8.8.3 has it. */
  etag: string;
}

interface Wanted {
  /** A drawn page, e.g. `about`; null asks for the shell. */
  drawn: string | null;
  canonicalPath: string | null;
}

interface Kept {
  writtenAt: number;
  document: Promise<PageDocument>;
}

/** @returns what finds a document; null as long as nothing is built. A page that wasn't drawn is the shell. */
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
