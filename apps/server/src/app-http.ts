/** The API and the web app. */
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo, ListenOptions } from "node:net";
import { fileURLToPath } from "node:url";
import type { AdminHandlers } from "@kauke/contract";
import type { FastifyInstance } from "fastify";
import { domainDns } from "./app-domains.ts";
import { accountPolicies, policyContextsOf } from "./app-policies.ts";
import { GRACE_MS, type Parts, type Service } from "./app-services.ts";
import { mtaStsPolicyOf } from "./cli/dns-plan.ts";
import { reachable } from "./cli/doctor/port-checks.ts";
import { policyTargetOf } from "./core/certificate.ts";
import type { SendTestMail } from "./core/first-steps.ts";
import type { TestSubmission } from "./core/mail-profile.ts";
import { usualMailPorts } from "./core/mail-program-settings.ts";
import type { SendPreviewReply } from "./core/preview/preview-reply.ts";
import { smtpHost } from "./core/smtp-credential.ts";
import { type AnswerChallenge, challengeRoute, plainEntry } from "./http/plain-entry.ts";
import { type PreviewAccess, previewAccess } from "./http/preview/preview-access.ts";
import { previewRoutes, replyRoute, traceRoutes } from "./http/preview/routes.ts";
import { trustedProxyCheck } from "./http/request/client.ts";
import { originAt } from "./http/request/same-site.ts";
import { buildHttpServer } from "./http/server.ts";
import { mtaStsRoute } from "./http/site/serve-site.ts";
import { parseAllowList } from "./mail/transport/address-guard.ts";
import { guardedGet } from "./mail/transport/guarded-get.ts";
import { testSubmission } from "./mail/transport/test-submission.ts";
import { openIdIssuer } from "./platform/openid-issuer.ts";
import { ageWorker } from "./platform/workers/age-worker.ts";
import { argon2Hasher } from "./platform/workers/argon2-hasher.ts";
import { asCaller } from "./runtime/fair-queue/fair-queue.ts";
import { LISTEN_BACKLOG } from "./runtime/listen-backlog.ts";

const builtWeb = fileURLToPath(new URL("../../web/dist", import.meta.url));

interface WebParts {
  ports: { http: number | null; https: number | null; submissions: number | null };
  /** Calls of the admin page. */
  admin: AdminHandlers;
  /** Takes what is written in the preview inbox; `null` when this process has no mail path. */
  send: SendPreviewReply | null;
  /** Takes test messages to aliases; `null` when this process has no mail path. */
  testMail: SendTestMail | null;
  /** Responses to the HTTP challenges of a certificate issuer. */
  challenge?: AnswerChallenge;
}

export function httpService(
  parts: Parts,
  { ports, admin, send, testMail, challenge = async () => null }: WebParts,
): Service {
  const { config, store, overrides, preview } = parts;
  const worker = ageWorker();
  const access = previewAccess(parts.previewToken);
  let app: FastifyInstance | null = null;
  let entry: Server | null = null;
  // Fastify passes `reusePort` on to Node's server.
  const listenOptions = { backlog: LISTEN_BACKLOG, reusePort: overrides.member !== undefined };
  const { http, https, publicUrl, publicUrlGiven, limits } = config;
  const context = (name?: string) => parts.certificate.context(name);
  const challengeContexts = parts.issuer?.challengeContexts;
  return {
    async start() {
      app = await buildHttpServer({
        ...parts,
        ...store,
        hasher: overrides.hasher ?? argon2Hasher(),
        domainDns: domainDns(config),
        policyTarget: policyTargetOf(config),
        aliasSources: parts.features.aliasSources,
        serviceFetch: overrides.serviceFetch ?? guardedGet({ ...parts, allow: parseAllowList(config.webhookAllow) }),
        federatedIssuer: config.google ? openIdIssuer(config.google, parts) : null,
        ageWorker: worker,
        asCaller,
        testMail,
        testSubmission: submissionTest(parts, ports),
        isPreview: preview !== null,
        webRoot: overrides.webRoot ?? builtWeb,
        preview: access,
        admin,
        tls: https === null ? undefined : { context, contextFor: policyContextsOf(parts), challengeContexts },
        extraRoutes: otherRoutes(parts, { access, send, challenge }),
      });
      await app.listen({ ...(https ?? http), ...listenOptions });
      const { port } = app.server.address() as AddressInfo;
      if (https === null) return void (ports.http = port);
      ports.https = port;
      const origin = publicUrlGiven ? publicUrl.origin : originAt(publicUrl, "localhost", port);
      entry = plainEntry({
        challenge,
        isReady: parts.isReady,
        origin,
        isTrustedProxy: trustedProxyCheck(config.trustedProxies),
        hasShares: limits !== "off",
      });
      ports.http = await listenPlain(entry, { ...http, ...listenOptions });
    },
    drain: () => Promise.all([app?.close(), closePlain(entry), worker.close(GRACE_MS)]),
  };
}

interface RouteParts extends Pick<WebParts, "send"> {
  access: PreviewAccess;
  challenge: AnswerChallenge;
}

function otherRoutes(
  parts: Parts,
  { access, send, challenge }: RouteParts,
): readonly ((api: FastifyInstance) => void)[] {
  const { config, preview, trace, certificate } = parts;
  const policy = () => mtaStsPolicyOf(config, certificate.isIssued(config.mailHost));
  return [
    (api) => previewRoutes(api, preview, access),
    (api) => replyRoute(api, preview === null ? null : { ...parts, inbox: preview, send }, access),
    (api) => traceRoutes(api, trace, access),
    (api) => challengeRoute(api, challenge),
    (api) => mtaStsRoute(api, { ...config, policy, policyOfAccount: accountPolicies(parts, policy) }),
  ];
}

/** At the listener of this process, or at the public name if another machine has it. */
function submissionTest({ config, resolver }: Parts, ports: WebParts["ports"]): TestSubmission | null {
  if (config.forwarding.kind !== "engine") return null;
  const serverName = smtpHost(config.domains);
  return (login) => {
    const { submissions: port } = ports;
    const at =
      port === null
        ? { host: serverName, port: usualMailPorts.submissions }
        : { host: reachable(config.submissions.host), port };
    return testSubmission({ serverName, resolver, ...at }, login);
  };
}

async function listenPlain(entry: Server, at: ListenOptions): Promise<number> {
  entry.listen(at);
  await once(entry, "listening");
  return (entry.address() as AddressInfo).port;
}

/** Nothing that it serves takes long. */
async function closePlain(entry: Server | null): Promise<void> {
  entry?.close();
  entry?.closeAllConnections();
}
