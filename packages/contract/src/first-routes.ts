/** Routes that public pages call, and those that pages ask for before the rest has loaded. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface Route {
  readonly method: Method;
  /** Path in Fastify's form: `/api/aliases/:userId`. */
  readonly path: string;
  /** Who may call: `user` is a login session, or an API key with the scope; `admin` an admin's login session. */
  readonly access: "anyone" | "user" | "admin";
}

export const user = <M extends Method, P extends string>(method: M, path: P) =>
  ({ method, path, access: "user" }) as const;
export const anyone = <M extends Method, P extends string>(method: M, path: P) =>
  ({ method, path, access: "anyone" }) as const;

export const firstRoutes = {
  getSession: user("GET", "/api/auth/session"),
  logout: anyone("POST", "/api/auth/logout"),
  listDomains: anyone("GET", "/api/domains"),
  getStats: anyone("GET", "/api/stats"),
  countEvent: anyone("POST", "/api/analytics"),
  listAliases: user("GET", "/api/aliases/:userId"),
  listAliasesWithSmtp: user("GET", "/api/aliases/:userId/with-smtp"),
  listMailboxes: user("GET", "/api/mailboxes"),
  getAccountDefaults: user("GET", "/api/account/defaults"),
  listNotices: user("GET", "/api/notices"),
} as const satisfies Record<string, Route>;

/** Fills the parameters into a path, with escaped values, e.g. `/api/aliases/f81d…/toggle`. */
export function fillPath(path: string, params: Readonly<Record<string, string>> = {}): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
}
