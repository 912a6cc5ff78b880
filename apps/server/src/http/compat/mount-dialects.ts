/** Each product's calls have their own Fastify scope with its own body parser and error responses. */
import type { FastifyInstance } from "fastify";
import type { CoreDeps } from "../../core/core-deps.ts";
import { addyRoutes } from "./addy/routes.ts";
import { refuseDeviceSignIn, simpleLoginRoutes } from "./simplelogin/routes.ts";

type Dialect = (app: FastifyInstance, deps: CoreDeps) => void | Promise<void>;

const dialects: readonly Dialect[] = [addyRoutes, simpleLoginRoutes];

export async function mountDialects(app: FastifyInstance, deps: CoreDeps): Promise<void> {
  refuseDeviceSignIn(app);
  for (const dialect of dialects) await app.register(async (scope) => dialect(scope, deps));
}
