/** Groups of settings beside the first, which is `/settings` itself; each is a page, e.g. `/settings/mail`. */
export const settingsGroups = ["mail", "mailboxes", "domains", "new-aliases", "programs", "account", "data"] as const;

export type SettingsGroupName = (typeof settingsGroups)[number];
