/**
 * Calls compatible with SimpleLogin's API: for its browser extension and apps, and for password managers that create
 * aliases through that API. On paths that Kauke's own API has too, the header field `Authentication` tells the calls
 * apart.
 */
import type { FastifyInstance } from "fastify";
import type { CoreDeps } from "../../../core/core-deps.ts";
import { readAnyJson } from "../dialect-body.ts";
import { shapeErrors } from "../dialect-errors.ts";
import { accountRoutes } from "./account.ts";
import { aliasRoutes } from "./aliases.ts";
import { createRoutes } from "./create.ts";
import { toSimpleLoginError } from "./errors.ts";
import { pageRoutes } from "./pages.ts";
import { unservedRoutes } from "./unserved.ts";

export function simpleLoginRoutes(app: FastifyInstance, deps: CoreDeps): void {
  readAnyJson(app);
  shapeErrors(app, toSimpleLoginError);
  createRoutes(app, deps);
  aliasRoutes(app, deps);
  accountRoutes(app, deps);
  unservedRoutes(app, deps);
  pageRoutes(app);
}
