/** Calls compatible with SimpleLogin's API; on Kauke's own paths, the field `Authentication` tells them apart. */
import { limits, type ProblemBody } from "@kauke/contract";
import type { FastifyInstance } from "fastify";
import { listDomains } from "../../../core/alias/alias.ts";
import { AppError } from "../../../core/app-error.ts";
import type { CoreDeps } from "../../../core/core-deps.ts";
import { readAccountDefaults } from "../../../core/mailbox/account-defaults.ts";
import { byAnyKey, byKey, callerOf } from "../../request/key-caller.ts";
import { readAnyJson } from "../../request/read-json.ts";
import { onlyWithAuthentication } from "../client-requests.ts";
import { type DialectProblem, shapeErrors } from "../client-responses.ts";
import { numberedMailboxes, simpleLoginAliasRoutes } from "./aliases.ts";
import { createRoutes } from "./create.ts";
import { customDomainsToWire, mailboxToWire, settingDomainsToWire, settingToWire, userInfoToWire } from "./wire.ts";

/** SimpleLogin's clients recognise an invalid API key by this text. They delete their stored key at 401. */
const WRONG_KEY = "Wrong api key";

function toSimpleLoginError({ code, message }: ProblemBody, status: number): DialectProblem {
  // A request without a key that may come from another site's page gets the response of any request without a key.
  if (code === "key_invalid" || code === "not_signed_in" || code === "cross_site")
    return { status: 401, body: { error: WRONG_KEY } };
  return { status, body: { error: message } };
}

/** SimpleLogin's clients link to these pages of its website. */
const pages: Readonly<Record<string, string>> = {
  "/dashboard/": "/dashboard",
  "/dashboard/api_key": "/settings#api-keys",
  "/dashboard/pricing": "/dashboard",
  "/auth/register": "/register",
  "/auth/login": "/auth",
  "/auth/proton/login": "/auth",
  "/onboarding": "/docs/clients",
  "/onboarding/final": "/dashboard",
};

function pageRoutes(app: FastifyInstance): void {
  for (const [url, to] of Object.entries(pages)) app.get(url, (_, reply) => reply.redirect(to, 302));
}

/** SimpleLogin's calls that Kauke lacks must not reach its own routes: the clients fail on an HTML page or redirect. */
const shared = [
  { method: "POST", url: "/api/mailboxes" },
  { method: ["PUT", "DELETE"], url: "/api/mailboxes/:number" },
  { method: "POST", url: "/api/aliases/:number/contacts" },
  { method: "POST", url: "/api/auth/login" },
  { method: "POST", url: "/api/auth/register" },
] as const;

function unservedRoutes(app: FastifyInstance, deps: CoreDeps): void {
  // Asks for a key in exchange for the website's session. Once refused, the clients ask their user for a key.
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

export function simpleLoginRoutes(app: FastifyInstance, deps: CoreDeps): void {
  readAnyJson(app);
  shapeErrors(app, toSimpleLoginError);
  createRoutes(app, deps);
  simpleLoginAliasRoutes(app, deps);
  simpleLoginAccountRoutes(app, deps);
  unservedRoutes(app, deps);
  pageRoutes(app);
}

export function simpleLoginAccountRoutes(app: FastifyInstance, deps: CoreDeps): void {
  const onRequest = byKey(deps, "account:read");
  app.get("/api/user_info", { onRequest }, (request) => userInfo(deps, callerOf(request).userId));
  // Version 1 of this call lists the mailboxes that the user can choose, so it returns only confirmed ones.
  app.get("/api/mailboxes", { ...onlyWithAuthentication, onRequest }, async (request) => {
    const mailboxes = await mailboxesOf(deps, callerOf(request).userId);
    return { mailboxes: mailboxes.filter(({ verified }) => verified) };
  });
  app.get("/api/v2/mailboxes", { onRequest }, async (request) => {
    return { mailboxes: await mailboxesOf(deps, callerOf(request).userId) };
  });
  app.get("/api/setting", { onRequest }, async (request) => {
    return settingToWire(await readAccountDefaults(deps, callerOf(request).userId));
  });
  app.get("/api/v2/setting/domains", { onRequest }, async (request) => {
    const { mailDomains } = deps;
    const own = mailDomains.ofAccount(callerOf(request).userId);
    return settingDomainsToWire({ operators: listDomains(mailDomains.operators), own });
  });
  app.get("/api/stats", { ...onlyWithAuthentication, onRequest: byKey(deps, "aliases:read") }, async (request) => {
    const { aliases } = await deps.users.stats(callerOf(request).userId);
    return { nb_alias: aliases, nb_block: 0, nb_forward: 0, nb_reply: 0 };
  });
  app.get("/api/custom_domains", { onRequest }, async (request) =>
    customDomainsToWire(await deps.accountDomains.list(callerOf(request).userId)),
  );
  app.get("/api/notifications", { onRequest }, async () => ({ more: false, notifications: [] }));
}

async function userInfo(deps: CoreDeps, userId: string) {
  const user = await deps.users.find(userId);
  if (user === null) throw new AppError("key_invalid");
  const mailbox = user.email === null ? (await readAccountDefaults(deps, userId)).mailbox : null;
  return userInfoToWire(user, { aliasesMax: limits.aliasesMax, mailbox: mailbox?.address ?? null });
}

async function mailboxesOf(deps: CoreDeps, userId: string) {
  return (await numberedMailboxes(deps, userId)).map(({ mailbox, number }) => mailboxToWire(mailbox, number));
}

const REFUSAL = "use an API key: you create one on the website, in Settings, “API keys”.";

/** SimpleLogin's clients expect a key from a sign-in by password. At 403 they tell the user to enter an API key. */
export function refuseDeviceSignIn(app: FastifyInstance): void {
  app.addHook("preValidation", async (request, reply) => {
    if (request.routeOptions.url !== "/api/auth/login" || !namesDevice(request.body)) return;
    return reply.code(403).send({ error: REFUSAL });
  });
}

const namesDevice = (body: unknown): boolean => typeof body === "object" && body !== null && "device" in body;
