/**
 * The methods of the owner's store that a mail worker may call. All other calls are refused, so that a worker that a
 * hostile message has taken over can't read accounts, sessions or other people's mail.
 */
import type { MailStore } from "../mail-store.ts";

export const storeMethods = {
  aliases: ["findRoute", "findRouteById", "findIdsBetween", "markUsed"],
  replyPaths: ["ensure", "listKnown", "find", "findAll"],
  deliveries: ["keep", "keepForOperator", "extendLease", "finish", "defer", "hasten", "countForAlias", "spoolBytes"],
  bodies: ["put", "get", "getStart", "delete"],
  inFlight: ["keep", "forget", "moveToQueue"],
  destinations: ["states", "isSharedDomain", "ask", "takeBackAsk"],
  missingMailboxes: ["note", "clear"],
  notices: ["insert"],
  sentAnswers: ["listKnown", "remember"],
  rateLimits: ["take", "takeAll", "takeSpaced", "giveBack", "clear"],
  smtpCredentials: ["findLogin", "findStanding"],
  users: ["settings"],
} as const satisfies { [Part in keyof MailStore]?: readonly (keyof NonNullable<MailStore[Part]>)[] };

export type StorePart = keyof typeof storeMethods;

/** Part that a worker names in calls that go to the server and not to its store, e.g. to the preview inbox. */
export const SERVER_PART = "server";
