/**
 * The inbound path under the limits of the mail path. Over a limit the answer is 451 at RCPT, so the sender keeps the mail.
 * Mail from this process names no client and is held to the limits of alias, account and destination alone.
 */
import type { ErrorCode } from "@kauke/contract";
import { defer, type Verdict } from "../verdict.ts";
import type { MailLimits } from "./mail-limits.ts";
import type { MxHandlers, ReceivedMail } from "./session-handlers.ts";
import type { ResolvedRecipient } from "./transaction.ts";

/** What somebody hears who tries names, or tries to relay. */
const unknown: ReadonlySet<ErrorCode> = new Set(["alias_not_found", "relay_denied", "not_a_bounce"]);

export function limitInbound(inner: MxHandlers, limits: MailLimits): MxHandlers {
  const judge = (verdict: Verdict<ResolvedRecipient>, clientAddress?: string): Verdict<ResolvedRecipient> => {
    if (verdict.verdict === "reject" && clientAddress !== undefined && unknown.has(verdict.code)) {
      limits.countUnknown(clientAddress);
    }
    const route = verdict.verdict === "accept" ? routeOf(verdict.value) : null;
    return route !== null && limits.isRouteOver(route) ? defer("rate_limited") : verdict;
  };
  return {
    resolve(path, isNullSender, clientAddress) {
      // Asked before the look-up: who tries names learns nothing more, and costs nothing more.
      if (clientAddress !== undefined && !limits.takeRecipient(clientAddress)) return defer("rate_limited");
      const verdict = inner.resolve(path, isNullSender);
      return verdict instanceof Promise
        ? verdict.then((it) => judge(it, clientAddress))
        : judge(verdict, clientAddress);
    },
    receive(mail) {
      countMail(mail, limits);
      return inner.receive(mail);
    },
  };
}

function countMail(mail: ReceivedMail, limits: MailLimits): void {
  if (!(mail.isOurs || mail.isProven)) limits.countMessage(mail.clientAddress);
  const routes = new Map(mail.recipients.flatMap((it) => routeEntry(it)));
  for (const route of routes.values()) limits.countRoute(route);
}

/** Each alias once, as it is delivered once. */
function routeEntry(recipient: ResolvedRecipient) {
  const route = routeOf(recipient);
  return route === null ? [] : [[route.aliasId, route] as const];
}

/** Answers through a reply address go elsewhere than to the alias' destinations, but count for alias and account. */
function routeOf(recipient: ResolvedRecipient) {
  if (recipient.kind === "alias") return recipient.route;
  return recipient.kind === "reply" ? { ...recipient.route, destinations: [] } : null;
}
