/** robots.txt and sitemap.xml. Both need absolute URLs, so the server generates them, not the build. */
import { indexedPaths } from "./page-routes.ts";

/** Allows private pages, except the preview inbox: a crawler sees their `noindex` only if it may fetch them. */
export function robotsText(origin: string): string {
  return `User-agent: *\nDisallow: /api/\nDisallow: /preview\n\nSitemap: ${origin}/sitemap.xml\n`;
}

/** The sitemap (sitemaps.org 0.9). */
export function sitemapXml(origin: string): string {
  const urls = indexedPaths().map((path) => `  <url><loc>${origin}${path}</loc></url>\n`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join("")}</urlset>\n`;
}
