/** robots.txt and sitemap.xml. Both need absolute URLs, so the server generates them, not the build. */
import { indexedPaths } from "./page-routes.ts";

/**
 * Content of robots.txt. Crawlers may fetch private pages, except the preview inbox, because they see a page's
 * `noindex` only if they may fetch it.
 */
export function robotsText(origin: string): string {
  return `User-agent: *\nDisallow: /api/\nDisallow: /preview\n\nSitemap: ${origin}/sitemap.xml\n`;
}

/** The sitemap (sitemaps.org 0.9). */
export function sitemapXml(origin: string): string {
  const urls = indexedPaths().map((path) => `  <url><loc>${origin}${path}</loc></url>\n`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join("")}</urlset>\n`;
}
