/**
 * Calls compatible with addy.io's API (`/api/v1/`), for addy.io's clients, Bitwarden and Keyguard. They run the same
 * use cases as Kauke's own API. A valid key without the needed scope gets 403, never 401, because the apps delete their
 * stored data at 401. Calls for features that Kauke does not have get 404.
 */
import type { FastifyInstance } from "fastify";
import { AppError } from "../../../core/app-error.ts";
import type { CoreDeps } from "../../../core/core-deps.ts";
import { byAnyKey } from "../../request/key-caller.ts";
import { readAnyJson } from "../dialect-body.ts";
import { shapeErrors } from "../dialect-errors.ts";
import { onlyWithAuthorization } from "../only-with-key-field.ts";
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
  // The apps remove their key only after 204. The key stays valid until its owner revokes it on the website.
  app.post("/api/auth/logout", { ...onlyWithAuthorization, onRequest: byAnyKey(deps) }, async (_, reply) =>
    reply.code(204).send(),
  );
  for (const url of ["/api/v1", "/api/v1/*"])
    app.all(url, async () => {
      throw new AppError("not_found", { message: "Kauke does not have this." });
    });
}
