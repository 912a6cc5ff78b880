/** Other products' clients. On their paths, pages of any origin may call with an API key (CORS): no cookie is read. */
import type { IncomingMessage } from "node:http";
import type { FastifyServerOptions } from "fastify";

/** Path at which mail programs look up their settings. */
export const autodiscoverPath = "/autodiscover/autodiscover.xml";

const sharedPath = /^\/(?:api\/v1|v1|api\/alias)\//;

/** @param url path with query, e.g. `/api/v1/aliases?sort=email` */
export function isSharedPath(url: string): boolean {
  return sharedPath.test(url);
}

/** With the wildcard, browsers do not let a page read a response to a request with cookies. */
export const sharedHeaders = { "access-control-allow-origin": "*" } as const;

/** CORS preflight response. A wildcard would not include Authorization, so all header fields are named. */
export const preflightHeaders = {
  ...sharedHeaders,
  "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE, OPTIONS",
  "access-control-allow-headers":
    "Authorization, Authentication, Content-Type, Accept, X-Requested-With, X-Requested-From, X-CSRF-TOKEN, X-Sl-Allowcookies",
  "access-control-max-age": "86400",
} as const;

/** Some clients send two leading slashes or a trailing one: `//api/v1/aliases/?page=2`; none follows a redirect. */
export function plainUrl({ url = "/", headers }: Pick<IncomingMessage, "url" | "headers">): string {
  const queryAt = url.indexOf("?");
  const path = withPlainLetters(queryAt < 0 ? url : url.slice(0, queryAt));
  const query = queryAt < 0 ? "" : url.slice(queryAt);
  // Outlook and others write this path with various capitals.
  if (path.length === autodiscoverPath.length && path.toLowerCase() === autodiscoverPath)
    return autodiscoverPath + query;
  const single = path.startsWith("//") ? path.slice(1) : path;
  if (!isSharedPath(single) && headers.authentication === undefined) return path + query;
  return (single.length > 1 && single.endsWith("/") ? single.slice(0, -1) : single) + query;
}

const ENCODED_LETTER = /%(?:3\d|[46][1-9a-f]|[57][\da])/gi;

/** The router decodes a path (RFC 3986 §6.2.2.2), so what looks at the path before and after it must see the same one. */
const withPlainLetters = (path: string): string => path.replace(ENCODED_LETTER, decodeURIComponent);

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

/** Restricts a route to requests with SimpleLogin's header field; it takes precedence over Kauke's own route. */
export const onlyWithAuthentication = { constraints: { keyField: "authentication" } } as const;

/** Restricts a route to requests without a field for an API key; to others its path is an unknown one. */
export const onlyWithoutKey = { constraints: { keyField: ABSENT } } as const;

export const onlyWithAuthorization = { constraints: { keyField: "authorization" } } as const;
