/** robots.txt and sitemap.xml: both want whole addresses, so they are the server's and not the build's. */
import { indexedPaths } from "./page-routes.ts";

/** Private pages aren't named: they say noindex themselves, and a crawler must see that. */
export function robotsText(origin: string): string {
  return `User-agent: *\nDisallow: /api/\nDisallow: /preview\n\nSitemap: ${origin}/sitemap.xml\n`;
}

/** sitemaps.org 0.9. */
export function sitemapXml(origin: string): string {
  const urls = indexedPaths().map((path) => `  <url><loc>${origin}${path}</loc></url>\n`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join("")}</urlset>\n`;
}
