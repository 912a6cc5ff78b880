import * as z from "zod";
import {
  accountExportEndpoints,
  googleEndpoints,
  signInEndpoints,
  walletEndpoints,
  waysInEndpoints,
} from "./account/account-endpoints.ts";
import { accountSettings, accountSettingsChange, loginBody, registerBody, userWire } from "./account/auth.ts";
import { accountDomainEndpoints } from "./account-domains.ts";
import { aliasWire, createAliasBody, senderWire, toggleAliasBody, updateAliasBody } from "./alias.ts";
import { bulkAliasBody, bulkAliasResponse } from "./alias-bulk.ts";
import { attachmentEndpoints } from "./attachments.ts";
import { checklistEndpoints } from "./checklist.ts";
import {
  confirmationDecision,
  confirmationLink,
  confirmationLinkStanding,
  confirmationRequest,
  confirmationStanding,
} from "./confirmations.ts";
import { contactEndpoints } from "./contacts.ts";
import {
  createdEmailJob,
  createEmailJobBody,
  emailJobStatusWire,
  endedEmailJob,
  listEmailJobsQuery,
  waitingEmailJob,
} from "./email-jobs.ts";
import type { Endpoint, EndpointShapes } from "./endpoint.ts";
import { firstSteps, sentTestMessage, testMessage, testMessageParams } from "./first-steps.ts";
import { forwardingEndpoints } from "./forwarding.ts";
import { importEndpoints } from "./imports.ts";
import { limits } from "./limits.ts";
import { type RouteName, routeScopes, routes } from "./routes.ts";
import {
  analyticsEndpoints,
  apiKeyEndpoints,
  encryptionEndpoints,
  labelEndpoints,
  mailboxEndpoints,
} from "./settings-endpoints.ts";
import {
  createdMailProfile,
  createdSmtpCredential,
  createSmtpCredentialBody,
  regeneratedSmtpCredential,
  smtpConnectionTest,
  smtpCredentialList,
  smtpPasswordResponse,
  webhookSecretResponse,
} from "./smtp-credentials.ts";

const userParams = z.object({ userId: z.string() });
const aliasParams = z.object({ aliasId: z.string() });
const credentialParams = z.object({ credentialId: z.string(), aliasId: z.string() });
const message = z.object({ message: z.string() });

/** A notice for the owner, e.g. about a delivery that failed for good. */
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
    "answer_not_sent",
    "appear_flood",
    "domain_failing",
    "domain_suspended",
    "domain_closed",
    "domain_claimed",
    "domain_healed",
  ]),
  aliasId: z.uuid().nullable(),
  text: z.string(),
  createdAt: z.iso.datetime(),
});
export type NoticeWire = z.infer<typeof noticeWire>;

const shapes = {
  getSession: {
    summary: "The signed-in user",
    status: 200,
    response: z.object({ user: userWire }),
  },
  register: {
    summary: "Create an account and sign in",
    body: registerBody,
    status: 201,
    errors: [403, 409, 429],
    response: z.object({ user: userWire }),
  },
  login: {
    summary: "Sign in by e-mail and password",
    body: loginBody,
    status: 200,
    errors: [401, 429],
    response: z.object({ user: userWire }),
  },
  logout: {
    summary: "End this session",
    status: 200,
    response: message,
  },
  listDomains: {
    summary: "Domains an alias can be created on, the provider's own first",
    status: 200,
    response: z.object({ domains: z.array(z.string()) }),
  },
  getStats: {
    summary: "Totals for the landing page",
    status: 200,
    response: z.object({ stats: z.object({ totalUsers: z.number(), totalAliases: z.number() }) }),
  },
  listAliases: {
    summary: "All aliases of the signed-in user, newest first",
    params: userParams,
    status: 200,
    response: z.object({ aliases: z.array(aliasWire) }),
  },
  listAliasesWithSmtp: {
    summary: "Active aliases that have SMTP credentials",
    params: userParams,
    status: 200,
    response: z.object({ aliases: z.array(senderWire) }),
  },
  createAlias: {
    summary: "Create an alias",
    params: userParams,
    body: createAliasBody,
    status: 201,
    errors: [409, 429],
    response: aliasWire,
  },
  updateAlias: {
    summary: "Change name, destinations, notes, display name or state of an alias",
    params: aliasParams,
    body: updateAliasBody,
    status: 200,
    errors: [409, 429],
    response: aliasWire,
  },
  toggleAlias: {
    summary: "Pause or activate an alias",
    params: aliasParams,
    body: toggleAliasBody,
    status: 200,
    errors: [429],
    response: z.object({ message: z.string(), alias: aliasWire }),
  },
  deleteAlias: {
    summary: "Delete an alias and everything that belongs to it",
    params: aliasParams,
    status: 200,
    response: message,
  },
  refuseAlias: {
    summary: "Delete an alias on an own domain, whose name no mail makes again",
    params: aliasParams,
    status: 200,
    errors: [404, 409, 429],
    response: message,
  },
  changeAliases: {
    summary:
      "Pause, activate, label, redirect, pin or delete many aliases, at once or in some seconds; those that could not be changed are named in `failed`",
    body: bulkAliasBody,
    bodyMaxBytes: limits.bulkBodyMaxBytes,
    status: 200,
    errors: [429],
    response: bulkAliasResponse,
  },
  readWebhookSecret: {
    summary: "The secret that signs webhook calls of this alias",
    params: aliasParams,
    status: 200,
    response: webhookSecretResponse,
  },
  renewWebhookSecret: {
    summary: "Replace the signing secret; the old one is no longer used",
    params: aliasParams,
    status: 200,
    errors: [429],
    response: webhookSecretResponse,
  },
  sendTestMessage: {
    summary: "Send a test message to an alias by the way of any other mail, and read later how far it came",
    params: aliasParams,
    status: 202,
    errors: [429, 503],
    response: sentTestMessage,
  },
  readTestMessage: {
    summary: "How far a test message came; known for some minutes, in the process that sent it",
    params: testMessageParams,
    status: 200,
    response: testMessage,
  },
  listSmtpCredentials: {
    summary: "SMTP credentials of an alias, without the password, and the submission host",
    params: aliasParams,
    status: 200,
    response: smtpCredentialList,
  },
  createSmtpCredential: {
    summary: "Create the SMTP credentials of an alias, which has at most one pair",
    body: createSmtpCredentialBody,
    status: 201,
    errors: [404, 409, 429],
    response: createdSmtpCredential,
  },
  readSmtpPassword: {
    summary: "The SMTP password of an alias",
    params: aliasParams,
    status: 200,
    response: smtpPasswordResponse,
  },
  regenerateSmtpPassword: {
    summary: "Create a new SMTP password; the old one stops working at once",
    params: credentialParams,
    status: 200,
    errors: [429],
    response: regeneratedSmtpCredential,
  },
  createMailProfile: {
    summary:
      "A link to a configuration profile for Apple's mail programs, with the SMTP password; works once, for ten minutes",
    params: aliasParams,
    status: 201,
    errors: [404, 429],
    response: createdMailProfile,
  },
  testSmtpConnection: {
    summary: "Have the server sign in at its own submission port with the alias' SMTP credentials",
    params: aliasParams,
    status: 200,
    errors: [404, 429],
    response: smtpConnectionTest,
  },
  deleteSmtpCredential: {
    summary: "Delete SMTP credentials; the password stops working at once",
    params: credentialParams,
    status: 200,
    errors: [429],
    response: message,
  },
  getAccountStats: {
    summary: "Number of aliases, credentials, keys and queued messages of the account",
    status: 200,
    response: z.object({
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
    summary: "Delete the account and everything that belongs to it",
    status: 200,
    response: message,
  },
  getFirstSteps: {
    summary: "Which of the first steps the account has made, and whether they are hidden",
    status: 200,
    response: firstSteps,
  },
  getAccountSettings: {
    summary: "Settings of the account",
    status: 200,
    response: accountSettings,
  },
  changeAccountSettings: {
    summary: "Change settings of the account",
    body: accountSettingsChange,
    status: 200,
    response: accountSettings,
  },
  getDraftKey: {
    summary: "The key that this account's drafts are encrypted with in browsers; made at the first request",
    status: 200,
    response: z.object({ key: z.string().regex(/^[\w-]{43}$/) }),
  },
  createEmailJob: {
    summary:
      "Queue a message from an alias; it can be cancelled for a few seconds. Repeated with the same `jobId`, it queues nothing more",
    body: createEmailJobBody,
    bodyMaxBytes: limits.requestBodyMaxBytes,
    status: 201,
    errors: [409, 429, 503],
    response: createdEmailJob,
  },
  listWaitingEmailJobs: {
    summary:
      `Composed messages that have not been sent yet, newest first; at most ${limits.waitingJobsShown}. ` +
      `With \`ended=true\` instead, in \`ended\`, those that ended in the last ${limits.endedJobDays} days, without content`,
    query: listEmailJobsQuery,
    status: 200,
    response: z.object({ jobs: z.array(waitingEmailJob), ended: z.array(endedEmailJob).optional() }),
  },
  getEmailJobStatus: {
    summary: "Status of a queued message",
    params: z.object({ jobId: z.string() }),
    status: 200,
    response: emailJobStatusWire,
  },
  cancelEmailJob: {
    summary: "Cancel a queued message that the delivery worker has not started to send",
    params: z.object({ jobId: z.string() }),
    status: 200,
    errors: [409],
    response: z.object({ success: z.literal(true), message: z.string() }),
  },
  ...attachmentEndpoints,
  ...accountDomainEndpoints,
  ...contactEndpoints,
  ...mailboxEndpoints,
  ...labelEndpoints,
  ...encryptionEndpoints,
  ...googleEndpoints,
  ...walletEndpoints,
  ...analyticsEndpoints,
  ...signInEndpoints,
  ...waysInEndpoints,
  ...accountExportEndpoints,
  ...apiKeyEndpoints,
  ...importEndpoints,
  ...checklistEndpoints,
  ...forwardingEndpoints,
  listNotices: {
    summary: "Notices for the owner, e.g. about deliveries that failed for good",
    status: 200,
    response: z.object({ notices: z.array(noticeWire) }),
  },
  readConfirmation: {
    summary: "State of the mailbox that a confirmation link was sent to; changes nothing",
    body: confirmationLink,
    status: 200,
    errors: [404],
    response: confirmationLinkStanding,
  },
  answerConfirmation: {
    summary:
      "Confirm the mailbox that a link was sent to, say that it isn't yours, or block all mail from this server to it. Confirming it in a session of its account also confirms the same address as the account's e-mail",
    body: confirmationDecision,
    status: 200,
    errors: [404],
    response: confirmationLinkStanding,
  },
  askConfirmation: {
    summary:
      "Send the confirmation message to a mailbox of one of your aliases (again): once a day, three times in total",
    body: confirmationRequest,
    status: 200,
    errors: [404, 429],
    response: confirmationStanding,
  },
  resumeMailbox: {
    summary: "Resume forwarding to a mailbox that was suspended because its host said that it does not exist",
    body: confirmationRequest,
    status: 200,
    response: message,
  },
  dismissNotice: {
    summary: "Dismiss a notice",
    params: z.object({ noticeId: z.string() }),
    status: 200,
    response: message,
  },
} as const satisfies Record<RouteName, EndpointShapes>;

type Endpoints = { [N in RouteName]: (typeof routes)[N] & (typeof shapes)[N] & Pick<Endpoint, "scope"> };

export const endpoints = Object.fromEntries<unknown>(
  Object.entries<EndpointShapes>(shapes).map(([name, shape]) => [
    name,
    { ...routes[name as RouteName], scope: routeScopes[name as RouteName], ...shape },
  ]),
) as Endpoints;

export type EndpointName = RouteName;
export type Body<N extends EndpointName> = (typeof endpoints)[N] extends { body: infer B extends z.ZodType }
  ? z.infer<B>
  : undefined;
export type Query<N extends EndpointName> = (typeof endpoints)[N] extends { query: infer Q extends z.ZodType }
  ? z.infer<Q>
  : Record<string, never>;
export type Params<N extends EndpointName> = (typeof endpoints)[N] extends { params: infer P extends z.ZodType }
  ? z.infer<P>
  : Record<string, never>;
export type ResponseOf<N extends EndpointName> = z.infer<(typeof endpoints)[N]["response"]>;
