export function isDatabaseError(error: unknown, sqlState: string, constraint?: string): boolean {
  if (typeof error !== "object" || error === null || !("code" in error) || error.code !== sqlState) return false;
  return constraint === undefined || ("constraint" in error && error.constraint === constraint);
}

export const UNIQUE_VIOLATION = "23505";
export const FOREIGN_KEY_VIOLATION = "23503";

/** Whether an error may concern one row only (data, constraint, deadlock), not disk or connection. */
export function isOneRowsFault(error: unknown): boolean {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : null;
  return typeof code === "string" && /^(22|23|40)...$/.test(code);
}
