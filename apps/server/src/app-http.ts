/** The API and the web app. */
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import type { FastifyInstance } from "fastify";
import { GRACE_MS, type Parts, type Service } from "./app-services.ts";
import { mtaStsPolicyOf } from "./cli/dns-plan.ts";
import type { SendPreviewReply } from "./core/preview/preview-reply.ts";
import { previewAccess } from "./http/preview/preview-access.ts";
import { previewRoutes, replyRoute, traceRoutes } from "./http/preview/routes.ts";
import { buildHttpServer } from "./http/server.ts";
import { mtaStsRoute } from "./http/site/serve-site.ts";
import { parseAllowList } from "./mail/transport/address-guard.ts";
import { guardedGet } from "./mail/transport/guarded-get.ts";
import { openIdIssuer } from "./platform/openid-issuer.ts";
import { ageWorker } from "./platform/workers/age-worker.ts";
import { argon2Hasher } from "./platform/workers/argon2-hasher.ts";
import { asCaller } from "./runtime/fair-queue/fair-queue.ts";
import { LISTEN_BACKLOG } from "./runtime/listen-backlog.ts";

const builtWeb = fileURLToPath(new URL("../../web/dist", import.meta.url));

/** @param send takes what is written in the preview inbox; `null` when this process has no mail path */
export function httpService(
  parts: Parts,
  { ports, send }: { ports: { http: number | null }; send: SendPreviewReply | null },
): Service {
  const { config, store, overrides, preview, trace } = parts;
  const worker = ageWorker();
  const access = previewAccess(parts.previewToken);
  let app: FastifyInstance | null = null;
  return {
    async start() {
      app = await buildHttpServer({
        ...parts,
        ...store,
        hasher: overrides.hasher ?? argon2Hasher(),
        aliasSources: parts.features.aliasSources,
        serviceFetch: overrides.serviceFetch ?? guardedGet({ ...parts, allow: parseAllowList(config.webhookAllow) }),
        federatedIssuer: config.google ? openIdIssuer(config.google, parts) : null,
        ageWorker: worker,
        asCaller,
        webRoot: overrides.webRoot ?? builtWeb,
        preview: access,
        extraRoutes: [
          (api) => previewRoutes(api, preview, access),
          (api) => replyRoute(api, preview === null ? null : { ...parts, inbox: preview, send }, access),
          (api) => traceRoutes(api, trace, access),
          (api) =>
            mtaStsRoute(api, {
              ...config,
              policy: () => mtaStsPolicyOf(config, parts.certificate.isIssued(config.mailHost)),
            }),
        ],
      });
      // Fastify passes `reusePort` on to Node's server.
      const at = { ...config.http, backlog: LISTEN_BACKLOG, reusePort: overrides.member !== undefined };
      await app.listen(at);
      ports.http = (app.server.address() as AddressInfo).port;
    },
    drain: () => Promise.all([app?.close(), worker.close(GRACE_MS)]),
  };
}
