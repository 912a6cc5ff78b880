/** Routes without schemas, so that public pages carry no zod; `endpoints.ts` adds the schemas. */
import type { KeyScope } from "./api-keys.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface Route {
  readonly method: Method;
  /** Path in Fastify's form: `/api/aliases/:userId`. */
  readonly path: string;
  /** Who may call: `user` is a login session, or an API key with the scope; `admin` an admin's login session. */
  readonly access: "anyone" | "user" | "admin";
}

const user = <M extends Method, P extends string>(method: M, path: P) => ({ method, path, access: "user" }) as const;
const anyone = <M extends Method, P extends string>(method: M, path: P) =>
  ({ method, path, access: "anyone" }) as const;

export const routes = {
  getSession: user("GET", "/api/auth/session"),
  register: anyone("POST", "/api/auth/register"),
  login: anyone("POST", "/api/auth/login"),
  walletSignIn: anyone("POST", "/api/auth/wallet"),
  logout: anyone("POST", "/api/auth/logout"),
  listDomains: anyone("GET", "/api/domains"),
  getStats: anyone("GET", "/api/stats"),
  listAliases: user("GET", "/api/aliases/:userId"),
  listAliasesWithSmtp: user("GET", "/api/aliases/:userId/with-smtp"),
  createAlias: user("POST", "/api/aliases/:userId"),
  updateAlias: user("PUT", "/api/aliases/:aliasId"),
  toggleAlias: user("PATCH", "/api/aliases/:aliasId/toggle"),
  deleteAlias: user("DELETE", "/api/aliases/:aliasId"),
  generateAlias: user("POST", "/api/aliases/:userId/generate"),
  generateName: user("POST", "/api/aliases/:userId/generated-name"),
  changeAliases: user("POST", "/api/aliases/bulk"),
  readWebhookSecret: user("GET", "/api/aliases/:aliasId/webhook-secret"),
  renewWebhookSecret: user("POST", "/api/aliases/:aliasId/webhook-secret"),
  getForwarding: user("GET", "/api/forwarding"),
  setUpAlias: user("POST", "/api/aliases/:aliasId/set-up"),
  listLabels: user("GET", "/api/labels"),
  createLabel: user("POST", "/api/labels"),
  changeLabel: user("PATCH", "/api/labels/:labelId"),
  deleteLabel: user("DELETE", "/api/labels/:labelId"),
  listSmtpCredentials: user("GET", "/api/smtp-credentials/alias/:aliasId"),
  createSmtpCredential: user("POST", "/api/smtp-credentials"),
  readSmtpPassword: user("GET", "/api/smtp-credentials/alias/:aliasId/password"),
  regenerateSmtpPassword: user("PATCH", "/api/smtp-credentials/:credentialId/alias/:aliasId/regenerate"),
  deleteSmtpCredential: user("DELETE", "/api/smtp-credentials/:credentialId/alias/:aliasId"),
  getAccountStats: user("GET", "/api/account-stats"),
  deleteAccount: user("DELETE", "/api/account"),
  getAccountSettings: user("GET", "/api/account/settings"),
  changeAccountSettings: user("PATCH", "/api/account/settings"),
  exportAccount: user("GET", "/api/account/export"),
  createEmailJob: user("POST", "/api/email-jobs"),
  listWaitingEmailJobs: user("GET", "/api/email-jobs"),
  getEmailJobStatus: user("GET", "/api/email-jobs/:jobId/status"),
  cancelEmailJob: user("POST", "/api/email-jobs/:jobId/cancel"),
  listEncryptionKeys: user("GET", "/api/encryption-keys"),
  createEncryptionKey: user("POST", "/api/encryption-keys"),
  readProtectedKey: user("GET", "/api/encryption-keys/:keyId/protected"),
  downloadEncryptionKey: user("POST", "/api/encryption-keys/:keyId/download"),
  makeKeyDefault: user("POST", "/api/encryption-keys/:keyId/default"),
  deleteEncryptionKey: user("DELETE", "/api/encryption-keys/:keyId"),
  decryptAuto: user("POST", "/api/decrypt-auto"),
  decryptManual: user("POST", "/api/decrypt-manual"),
  askPasswordReset: anyone("POST", "/api/auth/password-reset/message"),
  readPasswordReset: anyone("POST", "/api/auth/password-reset/state"),
  resetPassword: anyone("POST", "/api/auth/password-reset"),
  askSignInLink: anyone("POST", "/api/auth/sign-in-link/message"),
  readSignInLink: anyone("POST", "/api/auth/sign-in-link/state"),
  signInByLink: anyone("POST", "/api/auth/sign-in-link"),
  signInByGoogle: anyone("POST", "/api/auth/google"),
  getSignIn: user("GET", "/api/account/sign-in"),
  changePassword: user("POST", "/api/account/password"),
  askEmailConfirmation: user("POST", "/api/account/email-confirmation/message"),
  confirmEmail: user("POST", "/api/account/email-confirmation"),
  proveByPassword: user("POST", "/api/account/proof/password"),
  proveByWallet: user("POST", "/api/account/proof/wallet"),
  proveByGoogle: user("POST", "/api/account/proof/google"),
  askWalletChallenge: user("POST", "/api/account/wallet/challenge"),
  linkWallet: user("POST", "/api/account/wallet"),
  unlinkWallet: user("DELETE", "/api/account/wallet"),
  linkGoogle: user("POST", "/api/account/google"),
  unlinkGoogle: user("DELETE", "/api/account/google"),
  askEmailChange: user("POST", "/api/account/email/message"),
  readEmailChange: user("POST", "/api/account/email/state"),
  changeEmail: user("POST", "/api/account/email"),
  listSessions: user("GET", "/api/auth/sessions"),
  endSession: user("DELETE", "/api/auth/sessions/:sessionId"),
  endOtherSessions: user("DELETE", "/api/auth/sessions"),
  listApiKeys: user("GET", "/api/keys"),
  createApiKey: user("POST", "/api/keys"),
  deleteApiKey: user("DELETE", "/api/keys/:keyId"),
  createImport: user("POST", "/api/imports"),
  createImportFromService: user("POST", "/api/imports/from-service"),
  listImports: user("GET", "/api/imports"),
  getImport: user("GET", "/api/imports/:importId"),
  runImport: user("POST", "/api/imports/:importId/run"),
  undoImport: user("POST", "/api/imports/:importId/undo"),
  deleteImport: user("DELETE", "/api/imports/:importId"),
  exportAliases: user("GET", "/api/aliases/:userId/export/:format"),
  listNotices: user("GET", "/api/notices"),
  readConfirmation: anyone("POST", "/api/confirmation/state"),
  answerConfirmation: anyone("POST", "/api/confirmation"),
  askConfirmation: user("POST", "/api/confirmation/message"),
  resumeMailbox: user("POST", "/api/mailboxes/resume"),
  listMailboxes: user("GET", "/api/mailboxes"),
  addMailbox: user("POST", "/api/mailboxes"),
  listMailboxAliases: user("GET", "/api/mailboxes/:mailboxId/aliases"),
  removeMailbox: user("DELETE", "/api/mailboxes/:mailboxId"),
  getAccountDefaults: user("GET", "/api/account/defaults"),
  changeAccountDefaults: user("PATCH", "/api/account/defaults"),
  countEvent: anyone("POST", "/api/analytics"),
  listChecklist: user("GET", "/api/checklist"),
  addToChecklist: user("PUT", "/api/checklist"),
  changeChecklist: user("PATCH", "/api/checklist"),
  deleteChecklist: user("DELETE", "/api/checklist"),
  dismissNotice: user("DELETE", "/api/notices/:noticeId"),
} as const satisfies Record<string, Route>;

export type RouteName = keyof typeof routes;

/** Fills the parameters into a path, with escaped values, e.g. `/api/aliases/f81d…/toggle`. */
export function fillPath(path: string, params: Readonly<Record<string, string>> = {}): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
}

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
  getForwarding: "aliases:read",
  setUpAlias: "aliases:write",
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
