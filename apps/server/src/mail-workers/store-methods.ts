/**
 * The methods of the store that a mail worker may call in the owner. Anything else is refused, so that a worker that a
 * hostile message has taken over can't read accounts, sessions or other people's mail.
 */
import type { MailStore } from "../mail-store.ts";

export const storeMethods = {
  aliases: ["findRoute", "findRouteById", "findIdsBetween"],
  replyPaths: ["ensure", "listKnown", "find", "findAll"],
  deliveries: ["keep", "keepForOperator", "extendLease", "finish", "defer", "hasten", "countForAlias", "spoolBytes"],
  bodies: ["put", "get", "getStart", "delete"],
  inFlight: ["keep", "forget", "moveToQueue"],
  destinations: ["states", "ask", "takeBackAsk"],
  missingMailboxes: ["note", "clear"],
  notices: ["insert"],
  rateLimits: ["take", "takeSpaced", "giveBack", "clear"],
  smtpCredentials: ["findLogin", "findStanding"],
  users: ["settings"],
} as const satisfies { [Part in keyof MailStore]?: readonly (keyof NonNullable<MailStore[Part]>)[] };

export type StorePart = keyof typeof storeMethods;

/** Names of calls that concern no part of the store. */
export const SERVER_PART = "server";
