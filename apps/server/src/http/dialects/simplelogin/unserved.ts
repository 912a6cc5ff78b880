/**
 * Calls of SimpleLogin's clients that Kauke does not serve. They are answered in SimpleLogin's form, because a client
 * that gets an HTML page or a redirect instead of JSON fails altogether.
 */
import type { FastifyInstance } from "fastify";
import { AppError } from "../../../core/app-error.ts";
import type { CoreDeps } from "../../../core/core-deps.ts";
import { byAnyKey } from "../../request/key-caller.ts";
import { onlyWithAuthentication } from "../only-with-key-field.ts";

/** Calls that would otherwise reach a route of Kauke's own API. */
const shared = [
  { method: "POST", url: "/api/mailboxes" },
  { method: ["PUT", "DELETE"], url: "/api/mailboxes/:number" },
  { method: "POST", url: "/api/aliases/:number/contacts" },
  { method: "POST", url: "/api/auth/login" },
  { method: "POST", url: "/api/auth/register" },
] as const;

export function unservedRoutes(app: FastifyInstance, deps: CoreDeps): void {
  // This call requests a key in exchange for the website's session. It is refused, so that the clients ask their user
  // for a key.
  app.post("/api/api_key", async () => {
    throw new AppError("key_invalid");
  });
  // The extension deletes its key whatever the response. The key stays valid until its owner revokes it on the website.
  app.get("/api/logout", { onRequest: byAnyKey(deps) }, async () => ({ msg: "Signed out" }));
  for (const { method, url } of [...shared, { method: [...app.supportedMethods], url: "/api/*" }])
    app.route({
      ...onlyWithAuthentication,
      method: typeof method === "string" ? method : [...method],
      url,
      onRequest: byAnyKey(deps),
      handler: async (_, reply) => reply.code(404).send({ error: "This server doesn't offer this." }),
    });
}
