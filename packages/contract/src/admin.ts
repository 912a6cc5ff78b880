/** Shapes of the admin page. Nothing here has mail, aliases, destinations or notes of anybody. */
import * as z from "zod";
import { accountEmail } from "./account/auth.ts";
import { registrationModes } from "./account/registration.ts";
import { accountDomainStates } from "./account-domain-states.ts";
import { adminRoutes } from "./admin-routes.ts";
import type { EndpointShapes } from "./endpoint.ts";

const at = z.iso.datetime();

/** `ok`: nothing to do; `warn`: worth knowing; `fix`: mail is lost, refused or distrusted until the operator acts. */
export const healthCheck = z.object({
  state: z.enum(["ok", "warn", "fix"]),
  check: z.string(),
  subject: z.string(),
  says: z.string(),
});
export type HealthCheckWire = z.infer<typeof healthCheck>;

export const certificateState = z.object({
  names: z.array(z.string()),
  /** Names that are wanted but that the certificate does not have. */
  missing: z.array(z.string()),
  expiresAt: at.nullable(),
  /** When the next order or renewal is due. */
  nextAt: at.nullable(),
  /** Why the last order failed, as a sentence. */
  problem: z.string().nullable(),
});

export const serverState = z.object({
  version: z.string(),
  publicUrl: z.string(),
  mailHost: z.string(),
  delivery: z.enum(["preview", "relay", "direct", "provider"]),
  database: z.enum(["embedded", "postgres"]),
  registration: z.enum(registrationModes),
  isOpenToStrangers: z.boolean(),
  /** `null` when certificates are not ordered by this server. */
  certificates: z.array(certificateState).nullable(),
  /** `null`: no backup was made by `kauke backup` since that is recorded. */
  lastBackupAt: at.nullable(),
  queue: z.object({ open: z.number(), oldestAt: at.nullable(), messageBytes: z.number(), keptForOperator: z.number() }),
  /** Who forwards in place of our engine, and how many aliases it does not have as wanted; `null`: our engine. */
  provider: z
    .object({
      name: z.string(),
      waiting: z.number(),
      failed: z.number(),
      /** Active aliases that are switched off there. */
      held: z.number(),
      /** What the last daily comparison found to repair; `null` before the first. */
      differences: z.number().nullable(),
      comparedAt: at.nullable(),
    })
    .nullable(),
  /** Limits in force: what is limited, how much, and of whom, as docs/limits.md says it. */
  limits: z.array(z.object({ name: z.string(), says: z.string() })),
});
export type ServerStateWire = z.infer<typeof serverState>;

/** Open deliveries of one destination host: mail domain or host of a webhook. */
export const queueOfHost = z.object({
  host: z.string(),
  open: z.number(),
  /** Under way at this moment; retry and drop leave those alone. */
  running: z.number(),
  oldestAt: at,
  nextAt: at,
  /** The most frequent last failure, as a sentence; `null` before the first attempt. */
  failure: z.string().nullable(),
});
export type QueueOfHostWire = z.infer<typeof queueOfHost>;

const hostBody = z.object({ host: z.string("host must be a text").min(1).max(255, "host is too long") });

export const serverDomain = z.object({
  domain: z.string(),
  records: z.array(z.object({ name: z.string(), type: z.string(), value: z.string() })),
});

export const accountOfServer = z.object({
  id: z.uuid(),
  signIn: z.string(),
  createdAt: at,
  aliases: z.number(),
  lastSeenAt: at.nullable(),
  isAdmin: z.boolean(),
  /** Only when asked for. */
  email: z.string().nullable().optional(),
});
export type AccountOfServerWire = z.infer<typeof accountOfServer>;

export const openInvite = z.object({
  id: z.uuid(),
  createdAt: at,
  expiresAt: at,
  isBound: z.boolean(),
  /** Only when asked for. */
  address: z.string().nullable().optional(),
});
export type OpenInviteWire = z.infer<typeof openInvite>;

export const operatorActCodes = [
  ...([
    "account_deleted",
    "account_signed_out",
    "admin_granted",
    "admin_revoked",
    "mailbox_unblocked",
    "addresses_shown",
    "domains_shown",
  ] as const),
  ...(["invite_created", "invite_revoked"] as const),
  ...(["queue_retried", "queue_dropped", "kept_mail_deleted", "mail_probe_started"] as const),
  ...(["sealing_key_rotated", "wrapping_key_rotated", "backup_written", "certificates_ordered"] as const),
  ...(["provider_repaired", "provider_pushed", "aliases_adopted"] as const),
] as const;
export type OperatorActCode = (typeof operatorActCodes)[number];

/** What an operator did, in the last 30 days. */
export const operatorAct = z.object({
  at,
  /** `command`: somebody with access to the machine; otherwise the id of an admin's account. */
  by: z.string(),
  act: z.enum(operatorActCodes),
  /** What it was done to: an account's id, a host, a file name; never an address. */
  on: z.string().nullable(),
});
export type OperatorActWire = z.infer<typeof operatorAct>;

export const authenticationResult = z.enum(["pass", "fail", "none", "unknown"]);
const authentication = z.object({
  spf: authenticationResult,
  dkim: authenticationResult,
  dmarc: authenticationResult,
});

/** One proof of mail in both directions; kept for a day, without any address or text of the messages. */
export const mailProbe = z.object({
  id: z.uuid(),
  /** The operator writes to this address from the real mailbox. */
  address: z.string(),
  startedAt: at,
  expiresAt: at,
  /** Their message; `null` until it arrived. */
  arrived: z
    .object({
      /** From the start of the probe to its arrival. */
      seconds: z.number(),
      /** e.g. `TLSv1.3`; `null`: it came unencrypted. */
      tlsVersion: z.string().nullable(),
      cipher: z.string().nullable(),
      /** What a host finds that checks our certificate for the MX name; `untrusted`: no root that we know leads to it. */
      certificate: z.enum(["valid", "untrusted", "self_signed", "wrong_name", "expired", "not_checked"]),
      theirs: authentication,
    })
    .nullable(),
  /** Our answer to it: `null` until it is enqueued; `refused`: the other host did not take it. */
  answer: z.enum(["queued", "taken", "refused", "not_sent"]).nullable(),
  /** Why no answer is sent, why it was refused, or why it still waits, as a sentence. */
  answerProblem: z.string().nullable(),
  /** Their answer to our answer arrived. */
  returned: z.boolean(),
  /** Our message as the other side judged it; `null` until its header fields are known. */
  ours: authentication.nullable(),
  /** `null`: nothing says so yet. */
  inSpam: z.boolean().nullable(),
});
export type MailProbeWire = z.infer<typeof mailProbe>;

const HEADER_CHARS_MAX = 65_536;

/** Header of our answer as it lies in their mailbox, and whether it lay in the spam folder; at least one of them. */
export const probeJudgement = z
  .object({
    headers: z.string("headers must be a text").max(HEADER_CHARS_MAX, "headers are too long").optional(),
    inSpam: z.boolean("inSpam must be true or false").optional(),
  })
  .refine(
    (body) => body.headers !== undefined || body.inSpam !== undefined,
    "Please paste the header or say where the message lay",
  );

const flag = z.enum(["true", "false"]).optional();
const accountParams = z.object({ accountId: z.string() });
const probeParams = z.object({ probeId: z.string() });
const message = z.object({ message: z.string() });
const changed = z.object({ changed: z.number() });

const shapes = {
  getServerState: { summary: "State of the server", status: 200, response: serverState },
  runHealthChecks: {
    summary: "Run the checks of `kauke doctor`; the result of the last minute is sent again",
    status: 200,
    errors: [503],
    response: z.object({ checkedAt: at, checks: z.array(healthCheck) }),
  },
  listQueue: {
    summary: "Open deliveries by destination host, most first",
    status: 200,
    response: z.object({ hosts: z.array(queueOfHost), isPartial: z.boolean() }),
  },
  retryQueue: { summary: "Try the deliveries to a host now", body: hostBody, status: 200, response: changed },
  dropQueue: {
    summary: "Give up the deliveries to a host; owners and senders are told as of any failed delivery",
    body: hostBody,
    status: 200,
    response: changed,
  },
  listServerDomains: {
    summary:
      "Domains of the server and the DNS records they need, and how many own domains accounts have in each state",
    status: 200,
    response: z.object({
      domains: z.array(serverDomain),
      ownDomains: z.record(z.enum(accountDomainStates), z.number()),
    }),
  },
  orderCertificates: { summary: "Order missing certificates now", status: 200, errors: [409], response: message },
  listAccounts: {
    summary: "Accounts by id, a page at a time",
    query: z.object({ after: z.uuid().optional(), addresses: flag }),
    status: 200,
    response: z.object({ accounts: z.array(accountOfServer), isMore: z.boolean() }),
  },
  deleteOtherAccount: {
    summary: "Delete an account and everything that belongs to it",
    params: accountParams,
    status: 200,
    errors: [409],
    response: message,
  },
  endAccountSessions: {
    summary: "Sign an account out everywhere and revoke its API keys",
    params: accountParams,
    status: 200,
    response: message,
  },
  listInvites: {
    summary: "Open invitations",
    query: z.object({ addresses: flag }),
    status: 200,
    response: z.object({ invites: z.array(openInvite) }),
  },
  createInvite: {
    summary: "Create an invitation; its link is shown once",
    body: z.object({
      address: accountEmail.optional(),
      days: z.int("days must be a whole number").min(1).max(90).optional(),
    }),
    status: 201,
    errors: [409],
    response: z.object({ id: z.uuid(), link: z.string(), expiresAt: at, registration: z.enum(registrationModes) }),
  },
  revokeInvite: {
    summary: "Revoke an invitation",
    params: z.object({ inviteId: z.string() }),
    status: 200,
    response: message,
  },
  listOperatorActs: {
    summary: "Acts of operators in the last 30 days, newest first; at most 200",
    status: 200,
    response: z.object({ acts: z.array(operatorAct) }),
  },
  startMailProbe: { summary: "Start a proof of mail", status: 201, errors: [409], response: mailProbe },
  readMailProbe: { summary: "State of a proof of mail", params: probeParams, status: 200, response: mailProbe },
  judgeMailProbe: {
    summary: "Tell how the other side judged our answer",
    params: probeParams,
    body: probeJudgement,
    // JSON doubles line ends and quotation marks.
    bodyMaxBytes: 2 * HEADER_CHARS_MAX,
    status: 200,
    response: mailProbe,
  },
} as const satisfies Record<keyof typeof adminRoutes, EndpointShapes>;

type AdminEndpoints = { [N in keyof typeof adminRoutes]: (typeof adminRoutes)[N] & (typeof shapes)[N] };

export const adminEndpoints = Object.fromEntries(
  Object.entries(shapes).map(([name, shape]) => [name, { ...adminRoutes[name as keyof typeof adminRoutes], ...shape }]),
) as AdminEndpoints;

export type AdminEndpointName = keyof typeof adminRoutes;
type Admin<N extends AdminEndpointName, Part extends string> =
  (typeof adminEndpoints)[N] extends Readonly<Record<Part, infer Shape extends z.ZodType>> ? z.infer<Shape> : undefined;

/** What a handler of the admin page gets and returns; `null`: there is no such thing (404). */
export type AdminHandlers = {
  [N in AdminEndpointName]: (call: {
    /** The admin's account. */
    userId: string;
    params: Admin<N, "params">;
    query: Admin<N, "query">;
    body: Admin<N, "body">;
  }) => Promise<Admin<N, "response"> | null>;
};
