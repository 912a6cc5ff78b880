/**
 * Lets pages and extensions of any origin make calls by API key (CORS, Fetch Standard §3.3), only on the paths of other
 * products' calls. Cookies are never read there, so the answer depends on the key alone.
 */

const sharedPath = /^\/(?:api\/v1|v1|api\/alias)\//;

/** Whether calls of the path may come from any origin. @param url path with query, e.g. `/api/v1/aliases?sort=email` */
export function isSharedPath(url: string): boolean {
  return sharedPath.test(url);
}

/** Header field of every answer on a shared path. The wildcard allows no credentials that the browser adds. */
export const sharedHeaders = { "access-control-allow-origin": "*" } as const;

/** Header fields of the answer to a preflight. The wildcard would not cover Authorization, so all fields are named. */
export const preflightHeaders = {
  ...sharedHeaders,
  "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE, OPTIONS",
  "access-control-allow-headers":
    "Authorization, Authentication, Content-Type, Accept, X-Requested-With, X-Requested-From, X-CSRF-TOKEN, X-Sl-Allowcookies",
  "access-control-max-age": "86400",
} as const;
