/**
 * The route table: every route of the HTTP API with its schemas. The server mounts exactly these, the web client calls
 * exactly these, and /api/openapi.json is derived from them.
 */
import * as z from "zod";
import { accountExportEndpoints } from "./account/account-export-endpoints.ts";
import { accountSettings, accountSettingsChange, loginBody, registerBody, userWire } from "./account/auth.ts";
import { signInEndpoints } from "./account/sign-in-endpoints.ts";
import { walletEndpoints } from "./account/wallet-endpoints.ts";
import { waysInEndpoints } from "./account/ways-in-endpoints.ts";
import { aliasWire, createAliasBody, toggleAliasBody, updateAliasBody } from "./alias.ts";
import { analyticsEndpoints } from "./analytics-endpoints.ts";
import { confirmationAnswer, confirmationLink, confirmationStanding, confirmationWish } from "./confirmations.ts";
import { createdEmailJob, createEmailJobBody, emailJobStatusWire, waitingEmailJob } from "./email-jobs.ts";
import { encryptionEndpoints } from "./encryption-endpoints.ts";
import type { Endpoint } from "./endpoint.ts";
import { limits } from "./limits.ts";
import {
  createdSmtpCredential,
  createSmtpCredentialBody,
  regeneratedSmtpCredential,
  smtpCredentialList,
  smtpPasswordAnswer,
  webhookSecretAnswer,
} from "./smtp-credentials.ts";

const userParams = z.object({ userId: z.string() });
const aliasParams = z.object({ aliasId: z.string() });
const credentialParams = z.object({ credentialId: z.string(), aliasId: z.string() });
const message = z.object({ message: z.string() });

/** A notice for the owner of an account, e.g. about a delivery that failed for good. */
export const noticeWire = z.object({
  id: z.uuid(),
  kind: z.enum([
    "delivery_failed",
    "not_confirmed",
    "not_yours",
    "not_sealed",
    "first_proof",
    "mailbox_suspended",
    "complaint",
  ]),
  aliasId: z.uuid().nullable(),
  text: z.string(),
  createdAt: z.iso.datetime(),
});
export type NoticeWire = z.infer<typeof noticeWire>;

const define = <E extends Record<string, Endpoint>>(table: E): E => table;

export const endpoints = define({
  getSession: {
    method: "GET",
    path: "/api/auth/session",
    summary: "The signed-in user",
    access: "user",
    status: 200,
    answer: z.object({ user: userWire }),
  },
  register: {
    method: "POST",
    path: "/api/auth/register",
    summary: "Create an account and sign in",
    access: "anyone",
    body: registerBody,
    status: 201,
    answer: z.object({ user: userWire }),
  },
  login: {
    method: "POST",
    path: "/api/auth/login",
    summary: "Sign in by e-mail and password",
    access: "anyone",
    body: loginBody,
    status: 200,
    answer: z.object({ user: userWire }),
  },
  logout: {
    method: "POST",
    path: "/api/auth/logout",
    summary: "End this session",
    access: "anyone",
    status: 200,
    answer: message,
  },
  listDomains: {
    method: "GET",
    path: "/api/domains",
    summary: "Domains an alias can be created on, the provider's own first",
    access: "anyone",
    status: 200,
    answer: z.object({ domains: z.array(z.string()) }),
  },
  getStats: {
    method: "GET",
    path: "/api/stats",
    summary: "Totals for the landing page",
    access: "anyone",
    status: 200,
    answer: z.object({ stats: z.object({ totalUsers: z.number(), totalAliases: z.number() }) }),
  },
  listAliases: {
    method: "GET",
    path: "/api/aliases/:userId",
    summary: "All aliases of the signed-in user, newest first",
    access: "user",
    params: userParams,
    status: 200,
    answer: z.object({ aliases: z.array(aliasWire) }),
  },
  listAliasesWithSmtp: {
    method: "GET",
    path: "/api/aliases/:userId/with-smtp",
    summary: "Active aliases that have SMTP credentials",
    access: "user",
    params: userParams,
    status: 200,
    answer: z.object({ aliases: z.array(z.object({ id: z.uuid(), alias: z.string(), domain: z.string() })) }),
  },
  createAlias: {
    method: "POST",
    path: "/api/aliases/:userId",
    summary: "Create an alias",
    access: "user",
    params: userParams,
    body: createAliasBody,
    status: 201,
    answer: aliasWire,
  },
  updateAlias: {
    method: "PUT",
    path: "/api/aliases/:aliasId",
    summary: "Change name, destinations, notes or state of an alias",
    access: "user",
    params: aliasParams,
    body: updateAliasBody,
    status: 200,
    answer: aliasWire,
  },
  toggleAlias: {
    method: "PATCH",
    path: "/api/aliases/:aliasId/toggle",
    summary: "Pause or activate an alias",
    access: "user",
    params: aliasParams,
    body: toggleAliasBody,
    status: 200,
    answer: z.object({ message: z.string(), alias: aliasWire }),
  },
  deleteAlias: {
    method: "DELETE",
    path: "/api/aliases/:aliasId",
    summary: "Delete an alias and everything that belongs to it",
    access: "user",
    params: aliasParams,
    status: 200,
    answer: message,
  },
  readWebhookSecret: {
    method: "GET",
    path: "/api/aliases/:aliasId/webhook-secret",
    summary: "The secret that signs webhook calls of this alias",
    access: "user",
    params: aliasParams,
    status: 200,
    answer: webhookSecretAnswer,
  },
  renewWebhookSecret: {
    method: "POST",
    path: "/api/aliases/:aliasId/webhook-secret",
    summary: "Replace the signing secret; the old one is no longer used",
    access: "user",
    params: aliasParams,
    status: 200,
    answer: webhookSecretAnswer,
  },
  listSmtpCredentials: {
    method: "GET",
    path: "/api/smtp-credentials/alias/:aliasId",
    summary: "SMTP credentials of an alias, without the password, and the submission host",
    access: "user",
    params: aliasParams,
    status: 200,
    answer: smtpCredentialList,
  },
  createSmtpCredential: {
    method: "POST",
    path: "/api/smtp-credentials",
    summary: "Create the SMTP credentials of an alias, which has at most one pair",
    access: "user",
    body: createSmtpCredentialBody,
    status: 201,
    answer: createdSmtpCredential,
  },
  readSmtpPassword: {
    method: "GET",
    path: "/api/smtp-credentials/alias/:aliasId/password",
    summary: "The SMTP password of an alias",
    access: "user",
    params: aliasParams,
    status: 200,
    answer: smtpPasswordAnswer,
  },
  regenerateSmtpPassword: {
    method: "PATCH",
    path: "/api/smtp-credentials/:credentialId/alias/:aliasId/regenerate",
    summary: "Create a new SMTP password; the old one stops working at once",
    access: "user",
    params: credentialParams,
    status: 200,
    answer: regeneratedSmtpCredential,
  },
  deleteSmtpCredential: {
    method: "DELETE",
    path: "/api/smtp-credentials/:credentialId/alias/:aliasId",
    summary: "Delete SMTP credentials; the password stops working at once",
    access: "user",
    params: credentialParams,
    status: 200,
    answer: message,
  },
  getAccountStats: {
    method: "GET",
    path: "/api/account-stats",
    summary: "Number of aliases, credentials, keys and queued messages of the account",
    access: "user",
    status: 200,
    answer: z.object({
      stats: z.object({
        aliases: z.number(),
        activeAliases: z.number(),
        smtpCredentials: z.number(),
        encryptionKeys: z.number(),
        emailJobs: z.number(),
      }),
    }),
  },
  deleteAccount: {
    method: "DELETE",
    path: "/api/account",
    summary: "Delete the account and everything that belongs to it",
    access: "user",
    status: 200,
    answer: message,
  },
  getAccountSettings: {
    method: "GET",
    path: "/api/account/settings",
    summary: "Settings of the account",
    access: "user",
    status: 200,
    answer: accountSettings,
  },
  changeAccountSettings: {
    method: "PATCH",
    path: "/api/account/settings",
    summary: "Change settings of the account",
    access: "user",
    body: accountSettingsChange,
    status: 200,
    answer: accountSettings,
  },
  createEmailJob: {
    method: "POST",
    path: "/api/email-jobs",
    summary: "Queue a message from an alias; it can be cancelled for a few seconds",
    access: "user",
    body: createEmailJobBody,
    bodyMaxBytes: limits.requestBodyMaxBytes,
    status: 201,
    answer: createdEmailJob,
  },
  listWaitingEmailJobs: {
    method: "GET",
    path: "/api/email-jobs",
    summary: `Composed messages that have not been sent yet, newest first; at most ${limits.waitingJobsShown}`,
    access: "user",
    status: 200,
    answer: z.object({ jobs: z.array(waitingEmailJob) }),
  },
  getEmailJobStatus: {
    method: "GET",
    path: "/api/email-jobs/:jobId/status",
    summary: "Status of a queued message",
    access: "user",
    params: z.object({ jobId: z.string() }),
    status: 200,
    answer: emailJobStatusWire,
  },
  cancelEmailJob: {
    method: "POST",
    path: "/api/email-jobs/:jobId/cancel",
    summary: "Cancel a queued message that the delivery worker has not started to send",
    access: "user",
    params: z.object({ jobId: z.string() }),
    status: 200,
    answer: z.object({ success: z.literal(true), message: z.string() }),
  },
  ...encryptionEndpoints,
  ...walletEndpoints,
  ...analyticsEndpoints,
  ...signInEndpoints,
  ...waysInEndpoints,
  ...accountExportEndpoints,
  listNotices: {
    method: "GET",
    path: "/api/notices",
    summary: "Notices for the owner, e.g. about deliveries that failed for good",
    access: "user",
    status: 200,
    answer: z.object({ notices: z.array(noticeWire) }),
  },
  readConfirmation: {
    method: "POST",
    path: "/api/confirmation/state",
    summary: "State of the mailbox that a confirmation link was sent to; changes nothing",
    access: "anyone",
    body: confirmationLink,
    status: 200,
    answer: confirmationStanding,
  },
  answerConfirmation: {
    method: "POST",
    path: "/api/confirmation",
    summary:
      "Confirm the mailbox that a link was sent to, say that it isn't yours, or block all mail from this server to it",
    access: "anyone",
    body: confirmationAnswer,
    status: 200,
    answer: confirmationStanding,
  },
  askConfirmation: {
    method: "POST",
    path: "/api/confirmation/message",
    summary:
      "Send the confirmation message to a mailbox of one of your aliases (again): once a day, three times in total",
    access: "user",
    body: confirmationWish,
    status: 200,
    answer: confirmationStanding,
  },
  resumeMailbox: {
    method: "POST",
    path: "/api/mailboxes/resume",
    summary: "Resume forwarding to a mailbox that was suspended because its host said that it does not exist",
    access: "user",
    body: confirmationWish,
    status: 200,
    answer: message,
  },
  dismissNotice: {
    method: "DELETE",
    path: "/api/notices/:noticeId",
    summary: "Dismiss a notice",
    access: "user",
    params: z.object({ noticeId: z.string() }),
    status: 200,
    answer: message,
  },
});

export type EndpointName = keyof typeof endpoints;
export type Body<N extends EndpointName> = (typeof endpoints)[N] extends { body: infer B extends z.ZodType }
  ? z.infer<B>
  : undefined;
export type Params<N extends EndpointName> = (typeof endpoints)[N] extends { params: infer P extends z.ZodType }
  ? z.infer<P>
  : Record<string, never>;
export type Answer<N extends EndpointName> = z.infer<(typeof endpoints)[N]["answer"]>;
