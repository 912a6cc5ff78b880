/**
 * Separates calls of other products' clients from Kauke's own calls on the same method and path, by the header field
 * that carries the API key: `Authentication` (SimpleLogin) or `Authorization` (addy.io). A route with one of the
 * constraints below serves only requests with that field, and takes precedence over a route without a constraint.
 */
import type { FastifyServerOptions } from "fastify";

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
