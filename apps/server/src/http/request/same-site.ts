/**
 * Whether a write may have been sent by another site. Browsers say so themselves (`Sec-Fetch-Site`); older ones, and plain
 * http origins, send only `Origin`; a client that sends neither is no browser and has no cookie to abuse.
 */
import type { IncomingHttpHeaders } from "node:http";

const READS = new Set(["GET", "HEAD", "OPTIONS"]);

export interface OwnOrigins {
  publicUrl: URL;
  /** While `KAUKE_PUBLIC_URL` is unset both loopback names of this port are ours. */
  publicUrlGiven: boolean;
  port: number;
}

/** @param own its port is the one the request came in on */
export function isCrossSiteWrite(method: string, headers: IncomingHttpHeaders, own: OwnOrigins): boolean {
  if (READS.has(method)) return false;
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site !== "same-origin";
  return headers.origin !== undefined && !isOwnOrigin(headers.origin, own);
}

/** e.g. `http://localhost:3000` */
export function isOwnOrigin(origin: string, { publicUrl, publicUrlGiven, port }: OwnOrigins): boolean {
  if (origin === publicUrl.origin) return true;
  if (publicUrlGiven) return false;
  const withPort = port === 80 ? "" : `:${port}`;
  return origin === `http://127.0.0.1${withPort}` || origin === `http://localhost${withPort}`;
}

/**
 * Whether another site sends the browser for a file. Nothing is handed to that site, but each try counts, and nobody wants an
 * account's data in their downloads unasked. A browser too old to say where it comes from is let through.
 */
export function isForeignErrand(headers: IncomingHttpHeaders): boolean {
  const site = headers["sec-fetch-site"];
  return site === "cross-site" || site === "same-site";
}
