/** Paths match in any case, with or without a trailing slash (specification section 2). */
export function normalizePath(path: string): string {
  return path.toLowerCase().replace(/\/+$/, "") || "/";
}
