/**
 * Normalises the request paths of clients made for other products: some send two leading slashes, some a trailing one,
 * and none follows a redirect.
 */
import type { IncomingMessage } from "node:http";
import { isSharedPath } from "../response/cors.ts";

/**
 * Removes a second leading slash and a trailing slash from the path if the request is a call of another product's
 * client; returns the URL unchanged otherwise.
 * @returns e.g. `/api/v1/aliases?page=2` for `//api/v1/aliases/?page=2`
 */
export function plainUrl({ url = "/", headers }: Pick<IncomingMessage, "url" | "headers">): string {
  const single = url.startsWith("//") ? url.slice(1) : url;
  if (!isSharedPath(single) && headers.authentication === undefined) return url;
  const queryAt = single.indexOf("?");
  const path = queryAt < 0 ? single : single.slice(0, queryAt);
  const query = queryAt < 0 ? "" : single.slice(queryAt);
  return (path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path) + query;
}
