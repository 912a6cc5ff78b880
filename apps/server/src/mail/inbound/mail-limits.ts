/**
 * The buckets of the mail path, in this process alone. Whoever is over a limit is told at connect or at RCPT; a message is
 * counted at its end, so the sessions already sending may overdraw a bucket a little. Nothing is written, and no address is
 * kept in clear.
 */
import { hash } from "node:crypto";
import type { AliasRoute, Destination } from "../../core/alias/alias.ts";
import { sameMailbox } from "../../core/destination/same-mailbox.ts";
import type { Clock, Metrics, Random } from "../../core/ports.ts";
import { type MailLimitName, type MailLimitRules, mailLimitNames } from "../../core/rate-limit/mail-limit-rules.ts";
import { TokenBuckets } from "../../core/rate-limit/token-buckets.ts";
import { clientBlock } from "./client-network.ts";

/** Keys of one limit remembered at most, some 2 MiB when full. */
const capacity = 20_000;

export interface MailLimitsParts {
  rules: MailLimitRules;
  clock: Clock;
  random: Random;
  metrics: Metrics;
}

type RouteKeys = Pick<AliasRoute, "aliasId" | "userId" | "destinations">;

export class MailLimits {
  readonly #buckets: Record<MailLimitName, TokenBuckets>;
  readonly #clock: Clock;
  readonly #metrics: Metrics;
  readonly #key: string;

  constructor({ rules, clock, random, metrics }: MailLimitsParts) {
    const buckets = mailLimitNames.map((name) => [name, new TokenBuckets(rules[name], capacity)]);
    this.#buckets = Object.fromEntries(buckets) as Record<MailLimitName, TokenBuckets>;
    this.#clock = clock;
    this.#metrics = metrics;
    this.#key = random.bytes(32).toString("base64");
  }

  /** Counts a connection. @returns whether it may stay */
  takeConnection(clientAddress: string): boolean {
    return this.#take("mail_connections_ip", clientBlock(clientAddress));
  }

  /** Counts a recipient. @returns whether the client may name one more, known to us or not */
  takeRecipient(clientAddress: string): boolean {
    const block = clientBlock(clientAddress);
    if (this.#isOver("mail_messages_ip", block) || this.#isOver("mail_unknown_ip", block)) return false;
    return this.#take("mail_recipients_ip", block);
  }

  /** The client named somebody who is not here. */
  countUnknown(clientAddress: string): void {
    this.#spend("mail_unknown_ip", clientBlock(clientAddress));
  }

  /** Whether an alias, its account or one of its destinations has had its share. */
  isRouteOver({ aliasId, userId, destinations }: RouteKeys): boolean {
    return (
      this.#isOver("mail_alias", aliasId) ||
      this.#isOver("mail_account", userId) ||
      destinations.some((it) => this.#isOver("mail_destination", this.#keyOf(it)))
    );
  }

  countMessage(clientAddress: string): void {
    this.#spend("mail_messages_ip", clientBlock(clientAddress));
  }

  countRoute({ aliasId, userId, destinations }: RouteKeys): void {
    this.#spend("mail_alias", aliasId);
    this.#spend("mail_account", userId);
    for (const it of destinations) this.#spend("mail_destination", this.#keyOf(it));
  }

  #keyOf(destination: Destination): string {
    const name = destination.kind === "mailbox" ? sameMailbox(destination.address) : destination.url;
    return hash("sha256", this.#key + name, "latin1").slice(0, 16);
  }

  #isOver(limit: MailLimitName, key: string): boolean {
    const isOver = this.#buckets[limit].isEmpty(key, this.#clock.now().getTime());
    if (isOver) this.#metrics.count("kauke_mail_limited_total", { limit });
    return isOver;
  }

  #take(limit: MailLimitName, key: string): boolean {
    if (this.#isOver(limit, key)) return false;
    this.#spend(limit, key);
    return true;
  }

  #spend(limit: MailLimitName, key: string): void {
    this.#buckets[limit].spend(key, this.#clock.now().getTime());
  }
}
