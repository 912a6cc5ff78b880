/**
 * The calls of addy.io's clients, of Bitwarden and of Keyguard (compatible with addy.io's API, `/api/v1/`), over the
 * same use cases as our own API. A key that is valid but lacks a scope gets 403 and never 401, at which the apps delete
 * what they have stored. Calls for what Kauke does not have answer 404.
 */
import type { FastifyInstance } from "fastify";
import { AppError } from "../../../core/app-error.ts";
import type { CoreDeps } from "../../../core/core-deps.ts";
import { readAnyJson } from "../dialect-body.ts";
import { shapeErrors } from "../dialect-errors.ts";
import { accountRoutes } from "./account-routes.ts";
import { aliasRoutes } from "./alias-routes.ts";
import { bulkRoutes } from "./bulk-routes.ts";
import { mountOn } from "./call.ts";
import { problemToWire } from "./wire.ts";

export function addyRoutes(app: FastifyInstance, deps: CoreDeps): void {
  readAnyJson(app);
  shapeErrors(app, problemToWire);
  const mount = mountOn(app, deps);
  aliasRoutes(mount, deps);
  bulkRoutes(mount, deps);
  accountRoutes(mount, deps);
  for (const url of ["/api/v1", "/api/v1/*"])
    app.all(url, async () => {
      throw new AppError("not_found", { message: "Kauke does not have this." });
    });
}
