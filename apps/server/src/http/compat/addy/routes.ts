/** Calls compatible with addy.io's API. A missing scope gets 403, because the apps delete their stored data at 401. */
import type { FastifyInstance } from "fastify";
import { AppError, notFound } from "../../../core/app-error.ts";
import type { CoreDeps } from "../../../core/core-deps.ts";
import { readAccountDefaults } from "../../../core/mailbox/account-defaults.ts";
import { listMailboxes } from "../../../core/mailbox/list-mailboxes.ts";
import { byAnyKey } from "../../request/key-caller.ts";
import { readAnyJson } from "../../request/read-json.ts";
import { onlyWithAuthorization } from "../client-requests.ts";
import { shapeErrors } from "../client-responses.ts";
import { pageOf } from "./alias-list.ts";
import { readPageQuery, readRecipientQuery } from "./alias-query.ts";
import { addyAliasRoutes, bulkRoutes } from "./alias-routes.ts";
import { idOf, listUrl, type Mount, mountOn } from "./call.ts";
import {
  accountToWire,
  chartToWire,
  domainOptionsToWire,
  domainToWire,
  keyToWire,
  listedRecipientToWire,
  problemToWire,
} from "./wire.ts";

export function addyRoutes(app: FastifyInstance, deps: CoreDeps): void {
  readAnyJson(app);
  shapeErrors(app, problemToWire);
  const mount = mountOn(app, deps);
  addyAliasRoutes(mount, deps);
  bulkRoutes(mount, deps);
  addyAccountRoutes(mount, deps);
  // The apps remove their key only after 204. The key stays valid until its owner revokes it on the website.
  app.post("/api/auth/logout", { ...onlyWithAuthorization, onRequest: byAnyKey(deps) }, async (_, reply) =>
    reply.code(204).send(),
  );
  for (const url of ["/api/v1", "/api/v1/*"])
    app.all(url, async () => {
      throw notFound("Kauke does not have this.");
    });
}

/** The addy.io version of these calls. The apps refuse versions below 1.5.0 (Android) or 1.6.2 (iOS), or none. */
const version = { version: "1.7.2", major: 1, minor: 7, patch: 2 } as const;

export function addyAccountRoutes(mount: Mount, deps: CoreDeps): void {
  mount("GET /app-version", "account:read", async () => version);
  mount("GET /account-details", "account:read", async ({ userId }) => ({ data: await account(deps, userId) }));
  mount("GET /api-token-details", "account:read", async ({ userId, keyId }) => {
    const key = (await deps.apiKeys.listForUser(userId)).find(({ id }) => id === keyId);
    if (key === undefined) throw new AppError("key_invalid");
    return keyToWire(key);
  });
  mount("GET /domain-options", "account:read", async ({ userId }) =>
    domainOptionsToWire(await readAccountDefaults(deps, userId), deps.mailDomains.usableBy(userId)),
  );
  mount("GET /recipients", "account:read", async ({ userId, request }) => {
    const { isVerified, isCounted } = readRecipientQuery(request.query as Record<string, unknown>);
    const mailboxes = await listMailboxes(deps, userId);
    const shown = mailboxes.filter(({ state }) => isVerified === undefined || (state === "confirmed") === isVerified);
    return { data: shown.map((mailbox) => listedRecipientToWire(userId, mailbox, isCounted)) };
  });
  mount("GET /recipients/:id", "account:read", async ({ userId, request }) => {
    const id = idOf(request);
    const mailbox = (await listMailboxes(deps, userId)).find((one) => one.id === id);
    if (mailbox === undefined) throw notFound("Recipient not found");
    return { data: listedRecipientToWire(userId, mailbox, true) };
  });
  mount("GET /chart-data", "account:read", async () => chartToWire(deps.clock.now()));
  mount("GET /domains", "account:read", async ({ userId }) => ({
    data: (await deps.accountDomains.list(userId)).map(domainToWire),
  }));
  for (const path of ["/usernames", "/rules"] as const)
    mount(`GET ${path}`, "account:read", async () => ({ data: [] }));
  for (const path of ["/failed-deliveries", "/blocklist"] as const) {
    mount(`GET ${path}`, "account:read", async ({ request }) => {
      const query = readPageQuery(request.query as Record<string, unknown>);
      return pageOf([], query, { url: listUrl(request, deps.ownMail.origin), toWire: String });
    });
  }
}

const NO_MAILBOX = "You have no mailbox yet. Please add one in Settings, “Mailboxes”.";

/** The apps need a default recipient: the oldest mailbox if none is confirmed. @throws AppError `no_mailbox` */
async function account(deps: CoreDeps, userId: string) {
  const user = await deps.users.find(userId);
  if (user === null) throw new AppError("key_invalid");
  const mailboxes = await listMailboxes(deps, userId);
  const main = mailboxes.find(({ isDefault }) => isDefault) ?? mailboxes[0];
  if (main === undefined) throw new AppError("no_mailbox", { message: NO_MAILBOX });
  const [defaults, aliases] = await Promise.all([readAccountDefaults(deps, userId), deps.aliases.listForUser(userId)]);
  const domainCount = deps.mailDomains.ofAccount(userId).length;
  return accountToWire({ user, defaults, aliases, mailboxes, main, domainCount });
}
