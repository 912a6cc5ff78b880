/**
 * Rates of incoming mail in memory; a client over one is deferred. When an alias or account has used up its limit, each
 * block of addresses may still send a small part, so that no block can keep out mail from elsewhere.
 */
import type { AliasRoute } from "../../core/alias/alias.ts";
import { type MailLimitName, type MailLimitRules, mailLimitNames } from "../../limits/named-limits.ts";
import { clientBlock } from "../../limits/party.ts";
import { TokenBuckets } from "../../limits/rate.ts";
import { bounds } from "../../limits/table.ts";
import { type Clock, type Metrics, steadyMs } from "../../runtime/ports.ts";
import { defer, type MailRefusal, type Verdict } from "../reply.ts";
import type { ReceivedMail } from "../smtp/session-handlers.ts";
import type { ResolvedRecipient } from "../transaction.ts";

export interface MailLimitsParts {
  rules: MailLimitRules;
  clock: Clock;
  metrics: Metrics;
}

type RouteKeys = Pick<AliasRoute, "aliasId" | "userId">;
type RouteLimit = "mail_alias" | "mail_account";

export class MailLimits {
  readonly #buckets: Record<MailLimitName, TokenBuckets>;
  /** By alias or account, together with the client's block. */
  readonly #reserved: Record<RouteLimit, TokenBuckets>;
  readonly #clock: Clock;
  readonly #metrics: Metrics;

  constructor({ rules, clock, metrics }: MailLimitsParts) {
    const buckets = mailLimitNames.map((name) => [name, new TokenBuckets(rules[name], bounds.rateBuckets.keys)]);
    const reserved = (name: RouteLimit) => {
      const rule = { ...rules[name], max: Math.floor(rules[name].max * bounds.mailToRoute.reservedPart) };
      return new TokenBuckets(rule, bounds.rateBuckets.keys);
    };
    this.#reserved = { mail_alias: reserved("mail_alias"), mail_account: reserved("mail_account") };
    this.#buckets = Object.fromEntries(buckets) as Record<MailLimitName, TokenBuckets>;
    this.#clock = clock;
    this.#metrics = metrics;
  }

  takeConnection(clientAddress: string): boolean {
    return this.#take("mail_connections_ip", clientBlock(clientAddress));
  }

  /** Counts a recipient, existing or not. @returns false, counting nothing, when the client is over a limit */
  takeRecipient(clientAddress: string): boolean {
    const block = clientBlock(clientAddress);
    if (this.#isOver("mail_messages_ip", block) || this.#isOver("mail_unknown_ip", block)) return false;
    return this.#take("mail_recipients_ip", block);
  }

  /** Defers a recipient over its limit; counts unknown ones. @param clientAddress absent for mail from this process */
  judgeRecipient(verdict: Verdict<ResolvedRecipient>, clientAddress?: string): Verdict<ResolvedRecipient> {
    if (verdict.verdict === "reject" && clientAddress !== undefined && unknown.has(verdict.code))
      this.#spend("mail_unknown_ip", clientBlock(clientAddress));
    const route = verdict.verdict === "accept" ? routeOf(verdict.value) : null;
    return route !== null && this.#isRouteOver(route, clientAddress) ? defer("rate_limited") : verdict;
  }

  /** @returns false, counting no alias, when other sessions used up a limit since RCPT */
  takeMessage(mail: ReceivedMail): boolean {
    const client = mail.isOurs || mail.isProven ? undefined : mail.clientAddress;
    if (client !== undefined) this.#spend("mail_messages_ip", clientBlock(client));
    const routes = [...new Map(mail.recipients.flatMap(routeEntry)).values()];
    if (routes.some((route) => this.#isRouteOver(route, client))) return false;
    for (const { aliasId, userId } of routes) {
      this.#spendShare("mail_alias", aliasId, client);
      this.#spendShare("mail_account", userId, client);
    }
    return true;
  }

  /** Destinations have no limit at RCPT, because the reply would reveal them. */
  #isRouteOver({ aliasId, userId }: RouteKeys, clientAddress?: string): boolean {
    return (
      this.#isShareOver("mail_alias", aliasId, clientAddress) ||
      this.#isShareOver("mail_account", userId, clientAddress)
    );
  }

  #isShareOver(limit: RouteLimit, key: string, clientAddress?: string): boolean {
    const now = steadyMs(this.#clock);
    if (!this.#buckets[limit].isEmpty(key, now)) return false;
    if (clientAddress !== undefined && !this.#reserved[limit].isEmpty(pairOf(key, clientAddress), now)) return false;
    this.#metrics.count("kauke_mail_limited_total", { limit });
    return true;
  }

  #spendShare(limit: RouteLimit, key: string, clientAddress?: string): void {
    const now = steadyMs(this.#clock);
    if (clientAddress === undefined || !this.#buckets[limit].isEmpty(key, now)) this.#buckets[limit].spend(key, now);
    else this.#reserved[limit].spend(pairOf(key, clientAddress), now);
  }

  #isOver(limit: MailLimitName, key: string): boolean {
    const isOver = this.#buckets[limit].isEmpty(key, steadyMs(this.#clock));
    if (isOver) this.#metrics.count("kauke_mail_limited_total", { limit });
    return isOver;
  }

  #take(limit: MailLimitName, key: string): boolean {
    if (this.#isOver(limit, key)) return false;
    this.#spend(limit, key);
    return true;
  }

  #spend(limit: MailLimitName, key: string): void {
    this.#buckets[limit].spend(key, steadyMs(this.#clock));
  }
}

const pairOf = (key: string, clientAddress: string) => `${key} ${clientBlock(clientAddress)}`;

/** Reasons typical of clients that probe for addresses or try to relay. */
const unknown: ReadonlySet<MailRefusal> = new Set(["alias_not_found", "relay_denied", "not_a_bounce"]);

/** Limits count by alias id, so that a message counts once for an alias, however often it is named. */
function routeEntry(recipient: ResolvedRecipient) {
  const route = routeOf(recipient);
  return route === null ? [] : [[route.aliasId, route] as const];
}

function routeOf(recipient: ResolvedRecipient): RouteKeys | null {
  // All names that are no alias yet count as one alias of their domain.
  if (recipient.kind === "appearing") return { aliasId: recipient.domainId, userId: recipient.userId };
  return recipient.kind === "alias" || recipient.kind === "reply" ? recipient.route : null;
}
