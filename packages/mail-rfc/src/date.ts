/** Dates of mail headers (RFC 5322 §3.3), always in UTC: a local offset would tell where a server or a person is. */
const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** @example formatDate(new Date(0)) // "Thu, 1 Jan 1970 00:00:00 +0000" */
export function formatDate(date: Date): string {
  const day = `${DAYS[date.getUTCDay()]}, ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
  const time = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(twoDigits).join(":");
  return `${day} ${time} +0000`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
