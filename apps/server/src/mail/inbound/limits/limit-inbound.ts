/**
 * Applies the mail rate limits to the MX. Over a limit the reply is 451, at RCPT or after the final dot, so that the
 * sender keeps the mail and retries. Mail from this process is subject to the limits of alias and account only.
 */
import { type MailRefusal, replyFor } from "../../reply.ts";
import type { MxHandlers, ReceivedMail } from "../../smtp/session-handlers.ts";
import type { ResolvedRecipient } from "../../transaction.ts";
import { defer, type Verdict } from "../../verdict.ts";
import type { MailLimits } from "./mail-limits.ts";

/** Reasons for refusing a recipient that are typical of clients that probe for addresses or try to relay. */
const unknown: ReadonlySet<MailRefusal> = new Set(["alias_not_found", "relay_denied", "not_a_bounce"]);

export function limitInbound(inner: MxHandlers, limits: MailLimits): MxHandlers {
  const judge = (verdict: Verdict<ResolvedRecipient>, clientAddress?: string): Verdict<ResolvedRecipient> => {
    if (verdict.verdict === "reject" && clientAddress !== undefined && unknown.has(verdict.code)) {
      limits.countUnknown(clientAddress);
    }
    const route = verdict.verdict === "accept" ? routeOf(verdict.value) : null;
    return route !== null && limits.isRouteOver(route, clientAddress) ? defer("rate_limited") : verdict;
  };
  return {
    ...inner,
    async resolve(path, isNullSender, clientAddress) {
      // The rate limit is checked before the address is looked up, so that a client that probes for addresses learns
      // nothing and causes no further work.
      if (clientAddress !== undefined && !limits.takeRecipient(clientAddress)) return defer("rate_limited");
      return judge(await inner.resolve(path, isNullSender), clientAddress);
    },
    async receive(mail) {
      return countMail(mail, limits) ? await inner.receive(mail) : replyFor("rate_limited");
    },
  };
}

/** Counts a message. @returns false, counting no alias, when other sessions used up a limit since RCPT */
function countMail(mail: ReceivedMail, limits: MailLimits): boolean {
  const client = mail.isOurs || mail.isProven ? undefined : mail.clientAddress;
  if (client !== undefined) limits.countMessage(client);
  const routes = [...new Map(mail.recipients.flatMap((it) => routeEntry(it))).values()];
  if (routes.some((it) => limits.isRouteOver(it, client))) return false;
  for (const route of routes) limits.countRoute(route, client);
  return true;
}

/** Keyed by alias id, so that a message counts once for an alias, however often the alias is named. */
function routeEntry(recipient: ResolvedRecipient) {
  const route = routeOf(recipient);
  return route === null ? [] : [[route.aliasId, route] as const];
}

function routeOf(recipient: ResolvedRecipient) {
  return recipient.kind === "alias" || recipient.kind === "reply" ? recipient.route : null;
}
