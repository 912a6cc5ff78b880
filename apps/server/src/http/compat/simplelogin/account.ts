/** Calls compatible with SimpleLogin about the account: user, mailboxes, defaults and domains. */
import { limits } from "@kauke/contract";
import type { FastifyInstance } from "fastify";
import { listDomains } from "../../../core/alias/alias.ts";
import { AppError } from "../../../core/app-error.ts";
import type { CoreDeps } from "../../../core/core-deps.ts";
import { accountDefaults } from "../../../core/mailbox/account-defaults.ts";
import { byKey, callerOf } from "../../request/key-caller.ts";
import { onlyWithAuthentication } from "../only-with-key-field.ts";
import { numberedMailboxes } from "./alias-views.ts";
import { mailboxToWire, settingToWire, userInfoToWire } from "./wire.ts";

export function accountRoutes(app: FastifyInstance, deps: CoreDeps): void {
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
    return settingToWire(await accountDefaults(deps, callerOf(request).userId));
  });
  app.get("/api/v2/setting/domains", { onRequest }, async () =>
    listDomains(deps.ownDomains).map((domain) => ({ domain, is_custom: false })),
  );
  app.get("/api/stats", { ...onlyWithAuthentication, onRequest: byKey(deps, "aliases:read") }, async (request) => {
    const { aliases } = await deps.users.stats(callerOf(request).userId);
    return { nb_alias: aliases, nb_block: 0, nb_forward: 0, nb_reply: 0 };
  });
  app.get("/api/custom_domains", { onRequest }, async () => ({ custom_domains: [] }));
  app.get("/api/notifications", { onRequest }, async () => ({ more: false, notifications: [] }));
}

async function userInfo(deps: CoreDeps, userId: string) {
  const user = await deps.users.find(userId);
  if (user === null) throw new AppError("key_invalid");
  const mailbox = user.email === null ? (await accountDefaults(deps, userId)).mailbox : null;
  return userInfoToWire(user, { aliasesMax: limits.aliasesMax, mailbox: mailbox?.address ?? null });
}

async function mailboxesOf(deps: CoreDeps, userId: string) {
  return (await numberedMailboxes(deps, userId)).map(({ mailbox, number }) => mailboxToWire(mailbox, number));
}
