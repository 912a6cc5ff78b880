/**
 * Lets web pages and extensions of any origin make calls with an API key (CORS, Fetch Standard §3.3), only on the paths
 * of calls compatible with other products ("shared paths"). No cookie is read on these paths, so the response depends
 * on the key alone.
 */
import type { IncomingMessage } from "node:http";
import type { FastifyServerOptions } from "fastify";

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

const ABSENT = "absent";

type Strategies = NonNullable<NonNullable<FastifyServerOptions["routerOptions"]>["constraints"]>;

export const keyFieldConstraint: Strategies = {
  keyField: {
    name: "keyField",
    storage: () => {
      const handlers = new Map<unknown, never>();
      return {
        get: (value) => handlers.get(value) ?? null,
        set: (value, handler) => void handlers.set(value, handler as never),
      };
    },
    validate: () => {},
    deriveConstraint: ({ headers }) => {
      if (headers.authentication !== undefined) return "authentication";
      return headers.authorization === undefined ? ABSENT : "authorization";
    },
  },
};

/** Route options that restrict a Fastify route to requests with the header field `Authentication`. */
export const onlyWithAuthentication = { constraints: { keyField: "authentication" } } as const;

/** Route options that restrict a Fastify route to requests with the header field `Authorization` alone. */
export const onlyWithAuthorization = { constraints: { keyField: "authorization" } } as const;
