/** Which errors of pg mean that PostgreSQL cannot serve at the moment, rather than a mistake of ours. */

/**
 * Classes of SQLSTATE (PostgreSQL, Appendix A): connection lost, insufficient resources, operator intervention
 * (restart, canceled statement), errors of the system that PostgreSQL runs on.
 */
const outageClasses = new Set(["08", "53", "57", "58"]);
/**
 * SQLSTATEs of further outages: the database is read-only, is not accepting connections, or did not grant a lock in
 * time.
 */
const outageStates = new Set(["25006", "55000", "55P03"]);
const networkCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENOENT",
]);
/** Messages of pg's own connection errors, which have no error code. */
const connectionTexts = /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered)/;

export function isPostgresOutage(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  const code = "code" in thrown && typeof thrown.code === "string" ? thrown.code : "";
  if (code === "") return connectionTexts.test(thrown.message);
  return networkCodes.has(code) || outageStates.has(code) || outageClasses.has(code.slice(0, 2));
}
