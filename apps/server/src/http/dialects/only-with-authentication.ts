/**
 * Separates calls of SimpleLogin's clients from Kauke's own calls on the same method and path: only the former have the
 * header field `Authentication`. A route with `onlyWithAuthentication` serves only requests with that field, and takes
 * precedence over a route without it.
 */
import type { FastifyServerOptions } from "fastify";

const PRESENT = "present";
const ABSENT = "absent";

type Strategies = NonNullable<NonNullable<FastifyServerOptions["routerOptions"]>["constraints"]>;

export const authenticationConstraint: Strategies = {
  authentication: {
    name: "authentication",
    storage: () => {
      const handlers = new Map<unknown, never>();
      return {
        get: (value) => handlers.get(value) ?? null,
        set: (value, handler) => void handlers.set(value, handler as never),
      };
    },
    validate: () => {},
    deriveConstraint: ({ headers }) => (headers.authentication === undefined ? ABSENT : PRESENT),
  },
};

/** Route options that restrict a Fastify route to requests with the header field `Authentication`. */
export const onlyWithAuthentication = { constraints: { authentication: PRESENT } } as const;
