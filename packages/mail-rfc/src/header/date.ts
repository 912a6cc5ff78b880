/**
 * Reads and writes dates of mail headers (RFC 5322 §3.3). Writes UTC only: a local offset would reveal where a server
 * or person is.
 */
const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** @example formatDate(new Date(0)) // "Thu, 1 Jan 1970 00:00:00 +0000" */
export function formatDate(date: Date): string {
  const day = `${DAYS[date.getUTCDay()]}, ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
  const time = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(twoDigits).join(":");
  return `${day} ${time} +0000`;
}

/**
 * Reads a Date field with any zone and comments.
 * @returns `null` when it is unreadable or lies outside the years 1970 to 9999
 */
export function readDate(value: string): Date | null {
  // Comments may name the zone and are removed; the platform parses the rest.
  const date = new Date(value.length > 100 ? "" : value.replace(/\([^()]*\)/g, " ").trim());
  const year = date.getUTCFullYear();
  return year >= 1970 && year <= 9999 ? date : null;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
