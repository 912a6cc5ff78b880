/**
 * Lets web pages and extensions of any origin make calls with an API key (CORS, Fetch Standard §3.3), only on the paths
 * of calls compatible with other products ("shared paths"). No cookie is read on these paths, so the response depends
 * on the key alone.
 */

const sharedPath = /^\/(?:api\/v1|v1|api\/alias)\//;

/**
 * Whether calls on a path are allowed from any origin.
 * @param url path with query, e.g. `/api/v1/aliases?sort=email`
 */
export function isSharedPath(url: string): boolean {
  return sharedPath.test(url);
}

/**
 * Header field of every response on a shared path. With the wildcard, browsers do not let a page read a response to a
 * request with cookies.
 */
export const sharedHeaders = { "access-control-allow-origin": "*" } as const;

/**
 * Header fields of the response to a CORS preflight. A wildcard would not include Authorization, so all header fields
 * are named.
 */
export const preflightHeaders = {
  ...sharedHeaders,
  "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE, OPTIONS",
  "access-control-allow-headers":
    "Authorization, Authentication, Content-Type, Accept, X-Requested-With, X-Requested-From, X-CSRF-TOKEN, X-Sl-Allowcookies",
  "access-control-max-age": "86400",
} as const;
