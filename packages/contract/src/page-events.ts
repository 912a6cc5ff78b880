/** Page events that are counted (specification section 7): each name is a series of `kauke_page_events_total`. */
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
