/**
 * The route table: method, path and access of every call of the JSON API. It is free of schemas, so that public pages
 * carry no zod. `endpoints.ts` adds the shapes to each call; the server mounts them, the web client's calls are typed
 * by them, and /api/openapi.json describes them. The redirects of the federated sign-in (/api/auth/google) and the
 * preview inbox (/preview/api) are not in this table.
 */

import type { KeyScope } from "./api-keys.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface Route {
  readonly method: Method;
  /** Path with parameters in Fastify's form: `/api/aliases/:userId`. */
  readonly path: string;
  /** Who may call the route; `user`: only with a login session. */
  readonly access: "anyone" | "user";
  /** Scope that an API key needs for this call; absent if only a login session may make the call. */
  readonly scope?: KeyScope;
}

export const routes = {
  getSession: { method: "GET", path: "/api/auth/session", access: "user", scope: "account:read" },
  register: { method: "POST", path: "/api/auth/register", access: "anyone" },
  login: { method: "POST", path: "/api/auth/login", access: "anyone" },
  walletSignIn: { method: "POST", path: "/api/auth/wallet", access: "anyone" },
  logout: { method: "POST", path: "/api/auth/logout", access: "anyone" },
  listDomains: { method: "GET", path: "/api/domains", access: "anyone" },
  getStats: { method: "GET", path: "/api/stats", access: "anyone" },
  listAliases: { method: "GET", path: "/api/aliases/:userId", access: "user", scope: "aliases:read" },
  listAliasesWithSmtp: { method: "GET", path: "/api/aliases/:userId/with-smtp", access: "user", scope: "aliases:read" },
  createAlias: { method: "POST", path: "/api/aliases/:userId", access: "user", scope: "aliases:create" },
  updateAlias: { method: "PUT", path: "/api/aliases/:aliasId", access: "user", scope: "aliases:write" },
  toggleAlias: { method: "PATCH", path: "/api/aliases/:aliasId/toggle", access: "user", scope: "aliases:write" },
  deleteAlias: { method: "DELETE", path: "/api/aliases/:aliasId", access: "user", scope: "aliases:write" },
  generateAlias: {
    method: "POST",
    path: "/api/aliases/:userId/generate",
    access: "user",
    scope: "aliases:create",
  },
  generateName: {
    method: "POST",
    path: "/api/aliases/:userId/generated-name",
    access: "user",
    scope: "aliases:create",
  },
  changeAliases: { method: "POST", path: "/api/aliases/bulk", access: "user", scope: "aliases:write" },
  readWebhookSecret: { method: "GET", path: "/api/aliases/:aliasId/webhook-secret", access: "user" },
  renewWebhookSecret: { method: "POST", path: "/api/aliases/:aliasId/webhook-secret", access: "user" },
  listLabels: { method: "GET", path: "/api/labels", access: "user", scope: "aliases:read" },
  createLabel: { method: "POST", path: "/api/labels", access: "user", scope: "aliases:write" },
  changeLabel: { method: "PATCH", path: "/api/labels/:labelId", access: "user", scope: "aliases:write" },
  deleteLabel: { method: "DELETE", path: "/api/labels/:labelId", access: "user", scope: "aliases:write" },
  listSmtpCredentials: { method: "GET", path: "/api/smtp-credentials/alias/:aliasId", access: "user" },
  createSmtpCredential: { method: "POST", path: "/api/smtp-credentials", access: "user" },
  readSmtpPassword: { method: "GET", path: "/api/smtp-credentials/alias/:aliasId/password", access: "user" },
  regenerateSmtpPassword: {
    method: "PATCH",
    path: "/api/smtp-credentials/:credentialId/alias/:aliasId/regenerate",
    access: "user",
  },
  deleteSmtpCredential: {
    method: "DELETE",
    path: "/api/smtp-credentials/:credentialId/alias/:aliasId",
    access: "user",
  },
  getAccountStats: { method: "GET", path: "/api/account-stats", access: "user", scope: "account:read" },
  deleteAccount: { method: "DELETE", path: "/api/account", access: "user" },
  getAccountSettings: { method: "GET", path: "/api/account/settings", access: "user", scope: "account:read" },
  changeAccountSettings: { method: "PATCH", path: "/api/account/settings", access: "user" },
  exportAccount: { method: "GET", path: "/api/account/export", access: "user" },
  createEmailJob: { method: "POST", path: "/api/email-jobs", access: "user" },
  listWaitingEmailJobs: { method: "GET", path: "/api/email-jobs", access: "user" },
  getEmailJobStatus: { method: "GET", path: "/api/email-jobs/:jobId/status", access: "user" },
  cancelEmailJob: { method: "POST", path: "/api/email-jobs/:jobId/cancel", access: "user" },
  listEncryptionKeys: { method: "GET", path: "/api/encryption-keys", access: "user" },
  createEncryptionKey: { method: "POST", path: "/api/encryption-keys", access: "user" },
  readProtectedKey: { method: "GET", path: "/api/encryption-keys/:keyId/protected", access: "user" },
  downloadEncryptionKey: {
    method: "POST",
    path: "/api/encryption-keys/:keyId/download",
    access: "user",
  },
  makeKeyDefault: { method: "POST", path: "/api/encryption-keys/:keyId/default", access: "user" },
  deleteEncryptionKey: { method: "DELETE", path: "/api/encryption-keys/:keyId", access: "user" },
  decryptAuto: { method: "POST", path: "/api/decrypt-auto", access: "user" },
  decryptManual: { method: "POST", path: "/api/decrypt-manual", access: "user" },
  askPasswordReset: { method: "POST", path: "/api/auth/password-reset/message", access: "anyone" },
  readPasswordReset: { method: "POST", path: "/api/auth/password-reset/state", access: "anyone" },
  resetPassword: { method: "POST", path: "/api/auth/password-reset", access: "anyone" },
  askSignInLink: { method: "POST", path: "/api/auth/sign-in-link/message", access: "anyone" },
  readSignInLink: { method: "POST", path: "/api/auth/sign-in-link/state", access: "anyone" },
  signInByLink: { method: "POST", path: "/api/auth/sign-in-link", access: "anyone" },
  getSignIn: { method: "GET", path: "/api/account/sign-in", access: "user" },
  changePassword: { method: "POST", path: "/api/account/password", access: "user" },
  askEmailConfirmation: { method: "POST", path: "/api/account/email-confirmation/message", access: "user" },
  confirmEmail: { method: "POST", path: "/api/account/email-confirmation", access: "user" },
  proveByPassword: { method: "POST", path: "/api/account/proof/password", access: "user" },
  proveByWallet: { method: "POST", path: "/api/account/proof/wallet", access: "user" },
  proveByGoogle: { method: "POST", path: "/api/account/proof/google", access: "user" },
  askWalletChallenge: { method: "POST", path: "/api/account/wallet/challenge", access: "user" },
  linkWallet: { method: "POST", path: "/api/account/wallet", access: "user" },
  unlinkWallet: { method: "DELETE", path: "/api/account/wallet", access: "user" },
  linkGoogle: { method: "POST", path: "/api/account/google", access: "user" },
  unlinkGoogle: { method: "DELETE", path: "/api/account/google", access: "user" },
  askEmailChange: { method: "POST", path: "/api/account/email/message", access: "user" },
  readEmailChange: { method: "POST", path: "/api/account/email/state", access: "user" },
  changeEmail: { method: "POST", path: "/api/account/email", access: "user" },
  listSessions: { method: "GET", path: "/api/auth/sessions", access: "user" },
  endSession: { method: "DELETE", path: "/api/auth/sessions/:sessionId", access: "user" },
  endOtherSessions: { method: "DELETE", path: "/api/auth/sessions", access: "user" },
  listApiKeys: { method: "GET", path: "/api/keys", access: "user" },
  createApiKey: { method: "POST", path: "/api/keys", access: "user" },
  deleteApiKey: { method: "DELETE", path: "/api/keys/:keyId", access: "user" },
  createImport: { method: "POST", path: "/api/imports", access: "user" },
  createImportFromService: { method: "POST", path: "/api/imports/from-service", access: "user" },
  listImports: { method: "GET", path: "/api/imports", access: "user" },
  getImport: { method: "GET", path: "/api/imports/:importId", access: "user" },
  runImport: { method: "POST", path: "/api/imports/:importId/run", access: "user" },
  undoImport: { method: "POST", path: "/api/imports/:importId/undo", access: "user" },
  deleteImport: { method: "DELETE", path: "/api/imports/:importId", access: "user" },
  exportAliases: {
    method: "GET",
    path: "/api/aliases/:userId/export/:format",
    access: "user",
    scope: "aliases:read",
  },
  listNotices: { method: "GET", path: "/api/notices", access: "user" },
  readConfirmation: { method: "POST", path: "/api/confirmation/state", access: "anyone" },
  answerConfirmation: { method: "POST", path: "/api/confirmation", access: "anyone" },
  askConfirmation: { method: "POST", path: "/api/confirmation/message", access: "user" },
  resumeMailbox: { method: "POST", path: "/api/mailboxes/resume", access: "user" },
  listMailboxes: { method: "GET", path: "/api/mailboxes", access: "user", scope: "account:read" },
  addMailbox: { method: "POST", path: "/api/mailboxes", access: "user" },
  listMailboxAliases: { method: "GET", path: "/api/mailboxes/:mailboxId/aliases", access: "user" },
  removeMailbox: { method: "DELETE", path: "/api/mailboxes/:mailboxId", access: "user" },
  getAccountDefaults: { method: "GET", path: "/api/account/defaults", access: "user", scope: "account:read" },
  changeAccountDefaults: { method: "PATCH", path: "/api/account/defaults", access: "user" },
  countEvent: { method: "POST", path: "/api/analytics", access: "anyone" },
  listChecklist: { method: "GET", path: "/api/checklist", access: "user" },
  addToChecklist: { method: "PUT", path: "/api/checklist", access: "user" },
  changeChecklist: { method: "PATCH", path: "/api/checklist", access: "user" },
  deleteChecklist: { method: "DELETE", path: "/api/checklist", access: "user" },
  dismissNotice: { method: "DELETE", path: "/api/notices/:noticeId", access: "user" },
} as const satisfies Record<string, Route>;

export type RouteName = keyof typeof routes;

/**
 * Fills in the parameters of a route's path.
 * @returns the path with escaped values, e.g. `/api/aliases/f81d…/toggle`
 */
export function fillPath(path: string, params: Readonly<Record<string, string>> = {}): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
}
