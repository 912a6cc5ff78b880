/**
 * The route table: method, path and access of every call, and the statuses of its errors that its shape does not tell. Free of
 * schemas, so that public pages carry no zod. `endpoints.ts` adds the shapes to each call; the server mounts exactly these calls,
 * the web client makes exactly these, and /api/openapi.json describes them.
 */

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface Route {
  readonly method: Method;
  /** Fastify form: `/api/aliases/:userId`. */
  readonly path: string;
  /** `user`: a signed-in person only. */
  readonly access: "anyone" | "user";
  /** HTTP statuses of errors besides those that follow from access, method, parameters and body. */
  readonly errors?: readonly number[];
}

export const routes = {
  getSession: { method: "GET", path: "/api/auth/session", access: "user" },
  register: { method: "POST", path: "/api/auth/register", access: "anyone", errors: [409, 429] },
  login: { method: "POST", path: "/api/auth/login", access: "anyone", errors: [401, 429] },
  walletSignIn: { method: "POST", path: "/api/auth/wallet", access: "anyone", errors: [401, 429] },
  logout: { method: "POST", path: "/api/auth/logout", access: "anyone" },
  listDomains: { method: "GET", path: "/api/domains", access: "anyone" },
  getStats: { method: "GET", path: "/api/stats", access: "anyone" },
  listAliases: { method: "GET", path: "/api/aliases/:userId", access: "user" },
  listAliasesWithSmtp: { method: "GET", path: "/api/aliases/:userId/with-smtp", access: "user" },
  createAlias: { method: "POST", path: "/api/aliases/:userId", access: "user", errors: [409, 429] },
  updateAlias: { method: "PUT", path: "/api/aliases/:aliasId", access: "user", errors: [409, 429] },
  toggleAlias: { method: "PATCH", path: "/api/aliases/:aliasId/toggle", access: "user", errors: [429] },
  deleteAlias: { method: "DELETE", path: "/api/aliases/:aliasId", access: "user" },
  readWebhookSecret: { method: "GET", path: "/api/aliases/:aliasId/webhook-secret", access: "user" },
  renewWebhookSecret: { method: "POST", path: "/api/aliases/:aliasId/webhook-secret", access: "user", errors: [429] },
  listSmtpCredentials: { method: "GET", path: "/api/smtp-credentials/alias/:aliasId", access: "user" },
  createSmtpCredential: { method: "POST", path: "/api/smtp-credentials", access: "user", errors: [404, 409, 429] },
  readSmtpPassword: { method: "GET", path: "/api/smtp-credentials/alias/:aliasId/password", access: "user" },
  regenerateSmtpPassword: {
    method: "PATCH",
    path: "/api/smtp-credentials/:credentialId/alias/:aliasId/regenerate",
    access: "user",
    errors: [429],
  },
  deleteSmtpCredential: {
    method: "DELETE",
    path: "/api/smtp-credentials/:credentialId/alias/:aliasId",
    access: "user",
    errors: [429],
  },
  getAccountStats: { method: "GET", path: "/api/account-stats", access: "user" },
  deleteAccount: { method: "DELETE", path: "/api/account", access: "user" },
  getAccountSettings: { method: "GET", path: "/api/account/settings", access: "user" },
  changeAccountSettings: { method: "PATCH", path: "/api/account/settings", access: "user" },
  exportAccount: { method: "GET", path: "/api/account/export", access: "user", errors: [429] },
  createEmailJob: { method: "POST", path: "/api/email-jobs", access: "user", errors: [429, 503] },
  listWaitingEmailJobs: { method: "GET", path: "/api/email-jobs", access: "user" },
  getEmailJobStatus: { method: "GET", path: "/api/email-jobs/:jobId/status", access: "user" },
  cancelEmailJob: { method: "POST", path: "/api/email-jobs/:jobId/cancel", access: "user", errors: [409] },
  listEncryptionKeys: { method: "GET", path: "/api/encryption-keys", access: "user" },
  createEncryptionKey: { method: "POST", path: "/api/encryption-keys", access: "user", errors: [429, 503] },
  readProtectedKey: { method: "GET", path: "/api/encryption-keys/:keyId/protected", access: "user" },
  downloadEncryptionKey: {
    method: "POST",
    path: "/api/encryption-keys/:keyId/download",
    access: "user",
    errors: [422, 429, 503],
  },
  makeKeyDefault: { method: "POST", path: "/api/encryption-keys/:keyId/default", access: "user", errors: [429] },
  deleteEncryptionKey: { method: "DELETE", path: "/api/encryption-keys/:keyId", access: "user", errors: [429] },
  decryptAuto: { method: "POST", path: "/api/decrypt-auto", access: "user", errors: [404, 422, 429, 503] },
  decryptManual: { method: "POST", path: "/api/decrypt-manual", access: "user", errors: [429, 503] },
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
  listNotices: { method: "GET", path: "/api/notices", access: "user" },
  readConfirmation: { method: "POST", path: "/api/confirmation/state", access: "anyone", errors: [404] },
  answerConfirmation: { method: "POST", path: "/api/confirmation", access: "anyone", errors: [404] },
  askConfirmation: { method: "POST", path: "/api/confirmation/message", access: "user", errors: [404, 429] },
  resumeMailbox: { method: "POST", path: "/api/mailboxes/resume", access: "user" },
  countEvent: { method: "POST", path: "/api/analytics", access: "anyone" },
  dismissNotice: { method: "DELETE", path: "/api/notices/:noticeId", access: "user" },
} as const satisfies Record<string, Route>;

export type RouteName = keyof typeof routes;

/** @returns the path with its parameters filled in and escaped, e.g. `/api/aliases/f81d…/toggle` */
export function fillPath(path: string, params: Readonly<Record<string, string>> = {}): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
}
