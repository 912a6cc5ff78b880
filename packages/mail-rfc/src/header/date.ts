/** Dates of mail headers (RFC 5322 §3.3), always in UTC: a local offset would tell where a server or a person is. */
const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** @example formatDate(new Date(0)) // "Thu, 1 Jan 1970 00:00:00 +0000" */
export function formatDate(date: Date): string {
  const day = `${DAYS[date.getUTCDay()]}, ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
  const time = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(twoDigits).join(":");
  return `${day} ${time} +0000`;
}

/**
 * The moment a Date field tells, whatever zone and comments it names.
 * @returns `null` when it can't be read or lies outside the years 1970 to 9999
 */
export function readDate(value: string): Date | null {
  // Comments may name the zone, so they go first; what is left is read by the platform.
  const date = new Date(value.length > 100 ? "" : value.replace(/\([^()]*\)/g, " ").trim());
  const year = date.getUTCFullYear();
  return year >= 1970 && year <= 9999 ? date : null;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
