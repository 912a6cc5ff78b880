/** The stream of changes, `GET /api/events` (Server-Sent Events): what changed, never what it is now. */

export const LIVE_PATH = "/api/events";

/** What an event may name: of rows by triggers (`0030-live.sql`, `0033-live-contacts.sql`, `0035-account-domains.sql`, `0039-domain-certificates.sql`), of `tests` by the server. */
export const liveKinds = [
  "aliases",
  "labels",
  "mailboxes",
  "notices",
  "settings",
  "keys",
  "jobs",
  "imports",
  "checklist",
  "sessions",
  "contacts",
  "forwarding",
  "tests",
  "domains",
] as const;

export type LiveKind = (typeof liveKinds)[number];

/** Sent in place of kinds before the server ends a stream that gave way to others. */
export const LIVE_LATER = "later";
