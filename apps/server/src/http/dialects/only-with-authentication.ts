/**
 * Tells calls of SimpleLogin's clients from ours on the same method and path: theirs have the header field
 * `Authentication`. A route with `onlyWithAuthentication` serves only requests with that field, and goes before a route
 * without it.
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

/** Spread into a route's options. */
export const onlyWithAuthentication = { constraints: { authentication: PRESENT } } as const;
