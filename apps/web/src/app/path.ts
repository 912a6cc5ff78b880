/** Canonical form of a path: paths match in any case and with or without a trailing slash (specification section 2). */
export function normalizePath(path: string): string {
  return path.toLowerCase().replace(/\/+$/, "") || "/";
}

/** Where a sign-in leads: the dashboard, with the alias that the followed link opens, if any. */
export function pathAfterSignIn(): string {
  const aliasId = new URLSearchParams(window.location.search).get("alias");
  return aliasId === null ? "/dashboard" : `/dashboard?alias=${encodeURIComponent(aliasId)}`;
}
