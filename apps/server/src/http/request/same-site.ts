/** Whether another site may have sent a request, by `Sec-Fetch-Site` or `Origin`; without both it is no browser. */
import type { IncomingHttpHeaders } from "node:http";

const READS = new Set(["GET", "HEAD", "OPTIONS"]);

export interface OwnOrigins {
  publicUrl: URL;
  /** If `KAUKE_PUBLIC_URL` is not set, `localhost` and `127.0.0.1` with this port are also our origins. */
  publicUrlGiven: boolean;
  port: number;
}

/** @param own `port`: local port at which the request arrived */
export function isCrossSiteWrite(method: string, headers: IncomingHttpHeaders, own: OwnOrigins): boolean {
  if (READS.has(method)) return false;
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site !== "same-origin";
  return headers.origin !== undefined && !isOwnOrigin(headers.origin, own);
}

/** @param origin value of the Origin header field, e.g. `http://localhost:3000` */
export function isOwnOrigin(origin: string, { publicUrl, publicUrlGiven, port }: OwnOrigins): boolean {
  if (origin === publicUrl.origin) return true;
  if (publicUrlGiven) return false;
  return ["127.0.0.1", "localhost"].some((host) => origin === originAt(publicUrl, host, port));
}

/** @param publicUrl whose scheme the origin has */
export const originAt = ({ protocol }: Pick<URL, "protocol">, host: string, port: number): string =>
  new URL(`${protocol}//${host}:${port}`).origin;

/** Guards reads that have an effect: downloads, the preview link. Allows browsers too old for `Sec-Fetch-Site`. */
export function isCrossSiteRequest(headers: IncomingHttpHeaders): boolean {
  const site = headers["sec-fetch-site"];
  return site === "cross-site" || site === "same-site";
}

/** The origin for URLs and wallet messages. @param host used only without `KAUKE_PUBLIC_URL`, and if it is loopback */
export function publicOrigin(host: string | undefined, own: OwnOrigins): string {
  const named = `${own.publicUrl.protocol}//${host}`;
  return !own.publicUrlGiven && isOwnOrigin(named, own) ? named : own.publicUrl.origin;
}
