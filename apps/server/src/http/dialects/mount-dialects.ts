/**
 * Mounts the calls of other products' clients. Each dialect has a scope of its own, with its own body parser and error
 * answers.
 */
import type { FastifyInstance } from "fastify";
import type { CoreDeps } from "../../core/core-deps.ts";
import { addyRoutes } from "./addy/routes.ts";
import { simpleLoginRoutes } from "./simplelogin/routes.ts";

type Dialect = (app: FastifyInstance, deps: CoreDeps) => void | Promise<void>;

const dialects: readonly Dialect[] = [addyRoutes, simpleLoginRoutes];

export async function mountDialects(app: FastifyInstance, deps: CoreDeps): Promise<void> {
  for (const dialect of dialects) await app.register(async (scope) => dialect(scope, deps));
}
