/** Builds the HTTP server of web app and API from its dependencies. Rules are in core, schemas in the contract. */
import type { Server } from "node:http";
import fastifyCookie from "@fastify/cookie";
import type { AdminHandlers } from "@kauke/contract";
import { type FastifyInstance, type FastifyRequest, fastify } from "fastify";
import { AppError } from "../core/app-error.ts";
import type { CoreDeps } from "../core/core-deps.ts";
import type { ProvenDomains } from "../core/domain/account-domain.ts";
import { mailDomains } from "../core/domain/mail-domains.ts";
import { AttachedMail } from "../core/email-job/attached-mail.ts";
import { UploadsInFlight } from "../core/email-job/email-attachment.ts";
import { ImportRunner } from "../core/import/run-import.ts";
import { type MailProgramSettings, usualMailPorts } from "../core/mail-program-settings.ts";
import { smtpHost } from "../core/smtp-credential.ts";
import { rateLimitRules } from "../limits/named-limits.ts";
import type { Logger, Metrics } from "../runtime/ports.ts";
import type { Config } from "../settings/config.ts";
import { contactHandlers } from "./account/contacts.ts";
import {
  accountHandlers,
  analyticsHandlers,
  checklistHandlers,
  firstStepsHandlers,
  noticeHandlers,
} from "./account/routes.ts";
import { adminCalls } from "./admin/routes.ts";
import { aliasHandlers, labelHandlers, webhookSecretHandlers } from "./aliases/routes.ts";
import { apiKeyHandlers } from "./api-keys/routes.ts";
import { closeInTime } from "./close-in-time.ts";
import {
  isSharedPath,
  keyFieldConstraint,
  plainUrl,
  preflightHeaders,
  sharedHeaders,
} from "./compat/client-requests.ts";
import { mountDialects } from "./compat/mount-dialects.ts";
import { browserCookie, type SessionCookie, sessionCookie } from "./cookies.ts";
import { domainHandlers } from "./domains/routes.ts";
import { emailAttachmentHandlers } from "./email-jobs/attachments.ts";
import { emailJobHandlers } from "./email-jobs/routes.ts";
import { decryptHandlers, encryptionKeyHandlers } from "./encryption-keys/routes.ts";
import { forwardingHandlers } from "./forwarding/routes.ts";
import { googleRoutes } from "./google/routes.ts";
import type { Handlers } from "./handler.ts";
import { importHandlers } from "./imports/routes.ts";
import { liveRoute } from "./live/routes.ts";
import { confirmationHandlers, mailboxHandlers } from "./mailboxes/routes.ts";
import { type AsCaller, callerTurn, contractCalls, mountEndpoints } from "./mount-endpoints.ts";
import { openApiDocument } from "./openapi.ts";
import { type PreviewAccess, previewAccess } from "./preview/preview-access.ts";
import { AccountCalls } from "./request/account-calls.ts";
import { findClients, trustedProxyCheck } from "./request/client.ts";
import { runInAccountTurn } from "./request/in-account-turn.ts";
import { dropCookies, hasKeyField } from "./request/key-caller.ts";
import { type LaterWork, laterWork } from "./request/later-work.ts";
import { readOnlyJson } from "./request/read-json.ts";
import { isCrossSiteWrite, type OwnOrigins, publicOrigin } from "./request/same-site.ts";
import { errorResponder, respondToBrokenRequest } from "./response/problem.ts";
import { securityHeaders } from "./response/security-headers.ts";
import { SecureServer, type SecureServerOptions } from "./secure-server.ts";
import { emailChangeHandlers, googleHandlers, proofHandlers, waysInHandlers } from "./sign-in/method-routes.ts";
import {
  authHandlers,
  passwordHandlers,
  signInHandlers,
  signInLinkHandlers,
  walletHandlers,
} from "./sign-in/routes.ts";
import { mailProgramRoutes } from "./site/mail-program-settings.ts";
import { isApiPath } from "./site/page-routes.ts";
import { serveSite } from "./site/serve-site.ts";
import { mailProfileRoute } from "./smtp-credentials/mail-profile.ts";
import { smtpCredentialHandlers } from "./smtp-credentials/routes.ts";
import { SocketGuard, type SocketRules } from "./socket-guard.ts";

export type HttpConfig = Pick<
  Config,
  | "http"
  | "submission"
  | "submissions"
  | "pop3s"
  | "publicUrl"
  | "publicUrlGiven"
  | "registration"
  | "trustedProxies"
  | "domains"
  | "userDomains"
  | "mailHost"
  | "limits"
  | "links"
  | "logDays"
  | "undoSeconds"
  | "maxMessageBytes"
>;

export interface HttpServerOptions
  extends Omit<
    CoreDeps,
    | "mailDomains"
    | "domainRules"
    | "localSmtpPorts"
    | "mailPrograms"
    | "ownMail"
    | "limitRules"
    | "undoSeconds"
    | "federatedIssuer"
    | "registration"
    | "attachedMail"
    | "uploadsInFlight"
    | "maxMessageBytes"
  > {
  federatedIssuer?: CoreDeps["federatedIssuer"];
  config: HttpConfig;
  provenDomains: ProvenDomains;
  logger: Logger;
  metrics: Metrics;
  /** `DomainRules.policyTarget`; default: null. */
  policyTarget?: string | null;
  /** Serves https, with these certificates; plain http without. */
  tls?: Pick<SecureServerOptions, "context" | "contextFor" | "handshakeMs" | "challengeContexts"> | undefined;
  socketRules?: Partial<SocketRules> | undefined;
  /** Maximum random delay of mail whose timing could show whether an account exists; tests set 0. */
  messageSpreadMs?: number | undefined;
  isReady: () => boolean;
  /** Whether an error means that the database cannot serve now; the response is then a 503. */
  isOutage: (thrown: unknown) => boolean;
  /** Makes a request's database statements wait for the caller's turn; by default they do not wait. */
  asCaller?: AsCaller | undefined;
  webRoot: string;
  /** Handlers of the admin page's calls; without them there are no such paths. */
  admin?: AdminHandlers;
  /** Access to the preview inbox; by default nobody has it and its page is a 404. */
  preview?: PreviewAccess;
  /** Routes of other parts (the preview inbox), with the same headers and error handling. */
  extraRoutes?: readonly ((app: FastifyInstance) => void)[];
}

/** @returns ready but not listening; `app.close()` lets requests in progress finish */
export async function buildHttpServer(options: HttpServerOptions): Promise<FastifyInstance> {
  const { config } = options;
  const isHttps = config.publicUrl.protocol === "https:";
  const cookie = sessionCookie(isHttps);
  const app = createApp(options, securityHeaders(isHttps));
  await app.register(fastifyCookie);
  guardRequests(app, options, securityHeaders(isHttps));
  readOnlyJson(app);
  callInTurn(app, options.asCaller);
  const originOf = (request: FastifyRequest) => publicOrigin(request.headers.host, ownOrigins(config, request));
  const { logger, random, messageSpreadMs: spreadMs } = options;
  const later = laterWork({ logger, random, spreadMs });
  app.addHook("onClose", () => later.settled());
  const deps = coreDeps(options);
  const browsers = browserCookie(isHttps);
  const imports = new ImportRunner({ ...deps, logger });
  app.addHook("onClose", () => imports.close());
  const calls = [
    ...contractCalls(allHandlers(deps, options, { later, imports })),
    ...(options.admin === undefined ? [] : adminCalls(options.admin)),
  ];
  const accountCalls = new AccountCalls();
  const { asCaller } = options;
  runInAccountTurn(app, { accountCalls, asCaller });
  mountEndpoints(app, { deps, cookie, browserCookie: browsers, calls, originOf, accountCalls, asCaller });
  await mountDialects(app, deps);
  const streams = liveRoute(app, deps, cookie);
  options.metrics.gauge("kauke_live_streams", () => streams.size);
  mountOwnRoutes(app, options, cookie);
  if (deps.mailPrograms !== null) {
    const guide = new URL(config.links.smtpGuide, config.publicUrl).href;
    mailProgramRoutes(app, { domains: config.domains, settings: deps.mailPrograms, guide });
    mailProfileRoute(app, deps, deps.mailPrograms);
  }
  googleRoutes(app, { ...options, deps, later, sessionCookie: cookie, browserCookie: browsers });
  await serveSite(app, {
    preview: previewAccess(null),
    ...options,
    settings: { ...config, hasGoogle: Boolean(options.federatedIssuer), provider: deps.forwarding.about },
    cookie,
  });
  for (const mount of options.extraRoutes ?? []) mount(app);
  await app.ready();
  return app;
}

/** Database statements wait for the turn of the request's network block; signed-in users have a queue of their own. */
function callInTurn(app: FastifyInstance, asCaller: AsCaller | undefined): void {
  if (asCaller === undefined) return;
  app.addHook("onRequest", (request, _, done) => asCaller(callerTurn(request), done));
}

function createApp(options: HttpServerOptions, headers: Readonly<Record<string, string>>): FastifyInstance {
  const respondToError = errorResponder(options);
  const { trustedProxies, limits } = options.config;
  const trustProxy = trustedProxyCheck(trustedProxies);
  const isTrustedProxy = trustProxy === false ? () => false : trustProxy;
  const guard = new SocketGuard({
    hasShares: limits !== "off",
    isTrustedProxy,
    rules: options.socketRules,
  });
  options.metrics.gauge("kauke_http_sockets", () => guard.size);
  const app = fastify({
    logger: false,
    trustProxy,
    serverFactory: (listener) => {
      const { tls } = options;
      if (tls === undefined) return guard.createServer(listener);
      return new SecureServer({ ...tls, guard, listener, isTrustedProxy }) as unknown as Server;
    },
    return503OnClosing: false,
    // Above Node's own limit for a path, so that an id of any length reaches its route and the checks before it.
    routerOptions: { maxParamLength: 65_536, constraints: keyFieldConstraint },
    rewriteUrl: plainUrl,
    // Fastify reports a path that cannot be decoded before any hook runs, so the headers are added here.
    frameworkErrors: (error, request, reply) =>
      void respondToError(
        error,
        request,
        reply.headers({ ...headers, ...cacheHeaders(request), ...corsHeaders(request) }),
      ),
    clientErrorHandler: respondToBrokenRequest,
  });
  app.setErrorHandler(respondToError);
  app.decorateRequest("signedInUserId", null);
  app.decorateRequest("apiKey", null);
  allowKeyCalls(app);
  findClients(app, { isTrustedProxy, guard, logger: options.logger });
  closeInTime(app);
  app.addHook("onSend", async ({ raw }, _, payload) => {
    if (typeof payload === "string" || Buffer.isBuffer(payload)) guard.hold(raw, payload.length);
  });
  return app;
}

const cacheHeaders = ({ url }: FastifyRequest) =>
  isApiPath(url.split("?", 1)[0] ?? "") ? { "cache-control": "no-store" } : {};
const corsHeaders = ({ url }: FastifyRequest) => (isSharedPath(url) ? sharedHeaders : {});

function allowKeyCalls(app: FastifyInstance): void {
  app.addHook("onRequest", async (request, reply) => {
    if (mayHaveNoCookie(request)) dropCookies(request.raw);
    reply.headers(corsHeaders(request));
  });
}

/** Whether the request must carry no credentials that a browser adds by itself. */
const mayHaveNoCookie = ({ headers, url }: FastifyRequest): boolean => hasKeyField(headers) || isSharedPath(url);

function guardRequests(
  app: FastifyInstance,
  { config, metrics }: HttpServerOptions,
  headers: Readonly<Record<string, string>>,
): void {
  app.addHook("onRequest", async (request, reply) => {
    reply.headers({ ...headers, ...cacheHeaders(request) });
    if (isSharedPath(request.url) && request.method === "OPTIONS")
      return reply.code(204).headers(preflightHeaders).send();
    const mayBeByBrowser = !mayHaveNoCookie(request);
    if (mayBeByBrowser && isCrossSiteWrite(request.method, request.headers, ownOrigins(config, request)))
      throw new AppError("cross_site");
    // Before the body is read, so that a path that the caller may not know of does not differ from an unknown one.
    if (request.is404 && request.method !== "GET" && request.method !== "HEAD") throw new AppError("not_found");
  });
  app.addHook("onResponse", async (_, reply) => {
    metrics.count("kauke_http_requests_total", { status: `${Math.floor(reply.statusCode / 100)}xx` });
  });
}

function ownOrigins({ publicUrl, publicUrlGiven, http }: HttpConfig, { socket }: FastifyRequest): OwnOrigins {
  return { publicUrl, publicUrlGiven, port: socket.localPort ?? http.port };
}

function coreDeps({ config, policyTarget = null, ...options }: HttpServerOptions): CoreDeps {
  return {
    ...options,
    federatedIssuer: options.federatedIssuer ?? null,
    mailDomains: mailDomains(config.domains, options.provenDomains),
    domainRules: domainRules(config, { hasProvider: options.forwarding.about !== null, policyTarget }),
    localSmtpPorts: localSmtpPorts(config),
    mailPrograms: options.forwarding.about === null ? mailPrograms(config) : null,
    ownMail: { origin: config.publicUrl.origin, domain: config.domains[0] ?? "" },
    limitRules: rateLimitRules(config.limits),
    undoSeconds: config.undoSeconds,
    attachedMail: new AttachedMail(),
    uploadsInFlight: new UploadsInFlight(),
    maxMessageBytes: config.maxMessageBytes,
    registration: config.registration,
  };
}

/** At a forwarding provider, mail to an account's own domain would not reach this server. */
function domainRules(
  { userDomains, mailHost, domains, publicUrl }: HttpConfig,
  { hasProvider, policyTarget }: { hasProvider: boolean; policyTarget: string | null },
): CoreDeps["domainRules"] {
  const serverNames = [...domains, mailHost, publicUrl.hostname];
  return { max: hasProvider ? 0 : userDomains, mailHost, policyTarget, serverNames };
}

/** SMTP ports to show to users of a local server; `null` for a public one, where a firewall may forward others. */
function localSmtpPorts({ publicUrl, submission, submissions }: HttpConfig): CoreDeps["localSmtpPorts"] {
  const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(publicUrl.hostname);
  const isUsual = submission.port === 587 && submissions.port === 465;
  // A configured port of 0 makes the system choose a port at start, so the port to show is unknown.
  if (!isLocal || isUsual || submission.port === 0 || submissions.port === 0) return null;
  return { submission: submission.port, submissions: submissions.port };
}

function mailPrograms(config: HttpConfig): MailProgramSettings | null {
  const { pop3s, domains } = config;
  if (pop3s === null) return null;
  const local = localSmtpPorts(config);
  const ports = local === null ? usualMailPorts : { ...local, pop3s: pop3s.port };
  return { host: smtpHost(domains), ports };
}

interface BackgroundWork {
  later: LaterWork;
  imports: ImportRunner;
}

function allHandlers(deps: CoreDeps, { metrics }: HttpServerOptions, { later, imports }: BackgroundWork): Handlers {
  return {
    ...authHandlers(deps),
    ...apiKeyHandlers(deps),
    ...walletHandlers(deps),
    ...aliasHandlers(deps),
    ...mailboxHandlers(deps),
    ...smtpCredentialHandlers(deps),
    ...webhookSecretHandlers(deps),
    ...accountHandlers(deps),
    ...firstStepsHandlers(deps),
    ...noticeHandlers(deps),
    ...checklistHandlers(deps),
    ...emailJobHandlers(deps),
    ...contactHandlers(deps),
    ...emailAttachmentHandlers(deps),
    ...confirmationHandlers(deps),
    ...domainHandlers(deps),
    ...labelHandlers(deps),
    ...forwardingHandlers(deps),
    ...encryptionKeyHandlers(deps),
    ...importHandlers(deps, imports),
    ...decryptHandlers(deps),
    ...analyticsHandlers({ ...deps, metrics }),
    ...passwordHandlers(deps, later),
    ...signInLinkHandlers(deps, later),
    ...signInHandlers(deps),
    ...googleHandlers(deps),
    ...proofHandlers(deps),
    ...waysInHandlers(deps, later),
    ...emailChangeHandlers(deps, later),
  };
}

function mountOwnRoutes(app: FastifyInstance, { config, isReady }: HttpServerOptions, cookie: SessionCookie): void {
  const description = JSON.stringify(openApiDocument(config.publicUrl.origin, cookie.name));
  app.get("/api/openapi.json", async (_, reply) => reply.type("application/json; charset=utf-8").send(description));
  app.get("/healthz", async (_, reply) =>
    isReady() ? { status: "ok" } : reply.code(503).send({ status: "unavailable" }),
  );
}
