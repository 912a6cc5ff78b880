/**
 * Scope with which an API key may make a call. Calls that are not listed need a login session. Apart from `routes.ts`,
 * so that public pages do not load it.
 */
import type { KeyScope } from "./api-keys.ts";
import type { RouteName } from "./routes.ts";

export const routeScopes: Readonly<Partial<Record<RouteName, KeyScope>>> = {
  getSession: "account:read",
  listAliases: "aliases:read",
  listAliasesWithSmtp: "aliases:read",
  createAlias: "aliases:create",
  updateAlias: "aliases:write",
  toggleAlias: "aliases:write",
  deleteAlias: "aliases:write",
  generateAlias: "aliases:create",
  generateName: "aliases:create",
  changeAliases: "aliases:write",
  listLabels: "aliases:read",
  createLabel: "aliases:write",
  changeLabel: "aliases:write",
  deleteLabel: "aliases:write",
  getAccountStats: "account:read",
  getAccountSettings: "account:read",
  exportAliases: "aliases:read",
  listMailboxes: "account:read",
  getAccountDefaults: "account:read",
};
