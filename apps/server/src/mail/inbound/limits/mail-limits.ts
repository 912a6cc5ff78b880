/**
 * The rate limits of the mail path, as token buckets in memory. A client over a limit is
 * deferred at connect or at RCPT; a message is counted at its end, when the limits of its aliases and accounts are
 * checked again. Nothing is written, and no address is stored in the clear. When the limit of an alias or account is
 * used up, every block of client addresses may still send it a small part of that limit, so that one block cannot keep
 * out mail from elsewhere.
 */
import type { AliasRoute } from "../../../core/alias/alias.ts";
import { type MailLimitName, type MailLimitRules, mailLimitNames } from "../../../limits/mail-limit-rules.ts";
import { clientBlock } from "../../../limits/party.ts";
import { TokenBuckets } from "../../../limits/token-buckets.ts";
import { type Clock, type Metrics, steadyMs } from "../../../runtime/ports.ts";

/** Maximum keys remembered per limit, some 2 MiB when full. */
const CAPACITY = 20_000;
/** Part of an alias' or account's limit that each block of client addresses still has when the limit is used up. */
const RESERVED_PART = 1 / 50;

export interface MailLimitsParts {
  rules: MailLimitRules;
  clock: Clock;
  metrics: Metrics;
}

type RouteKeys = Pick<AliasRoute, "aliasId" | "userId">;
type RouteLimit = "mail_alias" | "mail_account";

export class MailLimits {
  readonly #buckets: Record<MailLimitName, TokenBuckets>;
  /** Buckets keyed by alias or account together with the block of client addresses. */
  readonly #reserved: Record<RouteLimit, TokenBuckets>;
  readonly #clock: Clock;
  readonly #metrics: Metrics;

  constructor({ rules, clock, metrics }: MailLimitsParts) {
    const buckets = mailLimitNames.map((name) => [name, new TokenBuckets(rules[name], CAPACITY)]);
    const reserved = (name: RouteLimit) => {
      const rule = { ...rules[name], max: Math.floor(rules[name].max * RESERVED_PART) };
      return new TokenBuckets(rule, CAPACITY);
    };
    this.#reserved = { mail_alias: reserved("mail_alias"), mail_account: reserved("mail_account") };
    this.#buckets = Object.fromEntries(buckets) as Record<MailLimitName, TokenBuckets>;
    this.#clock = clock;
    this.#metrics = metrics;
  }

  /** Counts a connection. @returns whether it is within the limit */
  takeConnection(clientAddress: string): boolean {
    return this.#take("mail_connections_ip", clientBlock(clientAddress));
  }

  /** Counts a recipient, existing or not. @returns false, counting nothing, when the client is over a limit */
  takeRecipient(clientAddress: string): boolean {
    const block = clientBlock(clientAddress);
    if (this.#isOver("mail_messages_ip", block) || this.#isOver("mail_unknown_ip", block)) return false;
    return this.#take("mail_recipients_ip", block);
  }

  /** Counts a recipient that does not exist here. */
  countUnknown(clientAddress: string): void {
    this.#spend("mail_unknown_ip", clientBlock(clientAddress));
  }

  /**
   * Whether the limit of an alias or its account is used up. Destinations have no limit here, since the reply would
   * reveal them.
   * @param clientAddress absent for mail from this process
   */
  isRouteOver({ aliasId, userId }: RouteKeys, clientAddress?: string): boolean {
    return (
      this.#isShareOver("mail_alias", aliasId, clientAddress) ||
      this.#isShareOver("mail_account", userId, clientAddress)
    );
  }

  countMessage(clientAddress: string): void {
    this.#spend("mail_messages_ip", clientBlock(clientAddress));
  }

  countRoute({ aliasId, userId }: RouteKeys, clientAddress?: string): void {
    this.#spendShare("mail_alias", aliasId, clientAddress);
    this.#spendShare("mail_account", userId, clientAddress);
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
