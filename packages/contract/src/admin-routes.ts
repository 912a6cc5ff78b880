/** Routes of the admin page, apart from `routes.ts` so that public pages do not carry them. */
import type { Method, Route } from "./first-routes.ts";

/** An account that is no admin gets 404, as for a path that does not exist. API keys are never accepted. */
const admin = <M extends Method, P extends string>(method: M, path: P) => ({ method, path, access: "admin" }) as const;

export const adminRoutes = {
  getServerState: admin("GET", "/api/admin/state"),
  runHealthChecks: admin("POST", "/api/admin/health"),
  listQueue: admin("GET", "/api/admin/queue"),
  retryQueue: admin("POST", "/api/admin/queue/retry"),
  dropQueue: admin("POST", "/api/admin/queue/drop"),
  listServerDomains: admin("GET", "/api/admin/domains"),
  orderCertificates: admin("POST", "/api/admin/certificates/order"),
  listAccounts: admin("GET", "/api/admin/accounts"),
  deleteOtherAccount: admin("DELETE", "/api/admin/accounts/:accountId"),
  endAccountSessions: admin("POST", "/api/admin/accounts/:accountId/end-sessions"),
  listInvites: admin("GET", "/api/admin/invitations"),
  createInvite: admin("POST", "/api/admin/invitations"),
  revokeInvite: admin("DELETE", "/api/admin/invitations/:inviteId"),
  listOperatorActs: admin("GET", "/api/admin/acts"),
  startMailProbe: admin("POST", "/api/admin/probes"),
  readMailProbe: admin("GET", "/api/admin/probes/:probeId"),
  judgeMailProbe: admin("POST", "/api/admin/probes/:probeId/headers"),
} as const satisfies Record<string, Route>;
