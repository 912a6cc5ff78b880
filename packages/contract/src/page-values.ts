/** Placeholders in pages drawn at build time. `.invalid` (RFC 2606), so that one left by mistake links nowhere. */
export const pagePlaceholders = {
  origin: "https://origin.invalid",
  domain: "first-domain.invalid",
  /** Stands for how long logs are kept, e.g. `90 days`. */
  logsKept: "logs-kept.invalid",
  longestDomain: "longest-domain.invalid",
} as const;

/** Path of the documentation that links lead to unless the operator sets another address. */
export const docsPath = "/docs";
export const smtpGuidePath = "/docs/smtp";

/** Placeholder for the address of a link. @param name of a link that the operator can set, e.g. `docs` */
export function linkPlaceholder(name: string): string {
  return `https://${name.toLowerCase()}.link.invalid/`;
}

/** Name of the meta element with the forwarding provider's name, and its SMTP host; absent with our own engine. */
export const forwardingMeta = "forwarding";

/** Each page event is a series of `kauke_page_events_total`. */
export const pageEvents = [
  "page_view",
  "login_success",
  "logout",
  "alias_created",
  "alias_deleted",
  "smtp_password_viewed",
  "copy_smtp_credential",
] as const;

export type PageEvent = (typeof pageEvents)[number];
