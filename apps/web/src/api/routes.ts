/**
 * Method and path of every call, as text: the contract's route table without its schemas, so that public pages carry no zod.
 * A missing name fails to compile; routes.test.ts holds each line to the contract.
 */
import type { EndpointName } from "@kauke/contract";

export const routes = {
  getSession: "GET /api/auth/session",
  register: "POST /api/auth/register",
  login: "POST /api/auth/login",
  walletSignIn: "POST /api/auth/wallet",
  logout: "POST /api/auth/logout",
  listDomains: "GET /api/domains",
  getStats: "GET /api/stats",
  listAliases: "GET /api/aliases/:userId",
  listAliasesWithSmtp: "GET /api/aliases/:userId/with-smtp",
  createAlias: "POST /api/aliases/:userId",
  updateAlias: "PUT /api/aliases/:aliasId",
  toggleAlias: "PATCH /api/aliases/:aliasId/toggle",
  deleteAlias: "DELETE /api/aliases/:aliasId",
  readWebhookSecret: "GET /api/aliases/:aliasId/webhook-secret",
  renewWebhookSecret: "POST /api/aliases/:aliasId/webhook-secret",
  listSmtpCredentials: "GET /api/smtp-credentials/alias/:aliasId",
  createSmtpCredential: "POST /api/smtp-credentials",
  readSmtpPassword: "GET /api/smtp-credentials/alias/:aliasId/password",
  regenerateSmtpPassword: "PATCH /api/smtp-credentials/:credentialId/alias/:aliasId/regenerate",
  deleteSmtpCredential: "DELETE /api/smtp-credentials/:credentialId/alias/:aliasId",
  getAccountStats: "GET /api/account-stats",
  deleteAccount: "DELETE /api/account",
  getAccountSettings: "GET /api/account/settings",
  changeAccountSettings: "PATCH /api/account/settings",
  exportAccount: "GET /api/account/export",
  createEmailJob: "POST /api/email-jobs",
  getEmailJobStatus: "GET /api/email-jobs/:jobId/status",
  cancelEmailJob: "POST /api/email-jobs/:jobId/cancel",
  listEncryptionKeys: "GET /api/encryption-keys",
  createEncryptionKey: "POST /api/encryption-keys",
  readProtectedKey: "GET /api/encryption-keys/:keyId/protected",
  downloadEncryptionKey: "POST /api/encryption-keys/:keyId/download",
  makeKeyDefault: "POST /api/encryption-keys/:keyId/default",
  deleteEncryptionKey: "DELETE /api/encryption-keys/:keyId",
  decryptAuto: "POST /api/decrypt-auto",
  decryptManual: "POST /api/decrypt-manual",
  askPasswordReset: "POST /api/auth/password-reset/message",
  readPasswordReset: "POST /api/auth/password-reset/state",
  resetPassword: "POST /api/auth/password-reset",
  getSignIn: "GET /api/account/sign-in",
  changePassword: "POST /api/account/password",
  askEmailConfirmation: "POST /api/account/email-confirmation/message",
  confirmEmail: "POST /api/account/email-confirmation",
  listSessions: "GET /api/auth/sessions",
  endSession: "DELETE /api/auth/sessions/:sessionId",
  endOtherSessions: "DELETE /api/auth/sessions",
  listNotices: "GET /api/notices",
  readConfirmation: "POST /api/confirmation/state",
  answerConfirmation: "POST /api/confirmation",
  askConfirmation: "POST /api/confirmation/message",
  countEvent: "POST /api/analytics",
  dismissNotice: "DELETE /api/notices/:noticeId",
} as const satisfies Record<EndpointName, string>;

/** Calls that a signed-out visitor makes too: their 401 says nothing about an open page. */
export const openToAnyone: ReadonlySet<EndpointName> = new Set([
  "getSession",
  "register",
  "login",
  "walletSignIn",
  "logout",
  "readConfirmation",
  "answerConfirmation",
  "askPasswordReset",
  "readPasswordReset",
  "resetPassword",
]);

/** `/api/aliases/:userId` with its parameters filled in and escaped. */
export function fillPath(path: string, params: Readonly<Record<string, string>> = {}): string {
  return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
}
