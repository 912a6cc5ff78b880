/**
 * All limits of the mail path in one table; `KAUKE_LIMITS` overrides them by name. Each is a token bucket: `max` at
 * once, then `max` per window. Ordinary mailboxes stay below all of them. A client over a limit gets 451 and retries,
 * so no mail is lost.
 */
import { partOfRule } from "./process-part.ts";
import { type LimitChange, rateLimitNames } from "./rate-limit-rules.ts";
import type { BucketRule } from "./token-buckets.ts";

const rules = {
  // Connections and messages of one block of client addresses. A large provider sends the mail for all our users from a
  // few blocks, often one connection per message. 6,000 in ten minutes allow a sustained ten a second, 36,000 an hour,
  // from one block.
  mail_connections_ip: { max: 6000, windowSeconds: 600 },
  mail_messages_ip: { max: 6000, windowSeconds: 600 },
  // RCPT commands of one block of client addresses, accepted or not: twice as many as messages.
  mail_recipients_ip: { max: 12_000, windowSeconds: 600 },
  // RCPT commands for unknown addresses from one block of client addresses, against clients that guess addresses. Lists
  // that still write to deleted aliases stay below 3,000 an hour.
  mail_unknown_ip: { max: 500, windowSeconds: 600 },
  // Mail to one alias, against mail bombs. The busiest mailing lists send some hundred messages an hour.
  mail_alias: { max: 600, windowSeconds: 3600 },
  // Mail to all aliases of one account, against mail bombs.
  mail_account: { max: 3000, windowSeconds: 3600 },
  // Messages sent to one mailbox or webhook over all accounts: large providers accept no more than about one a second
  // per mailbox. One account may use a third of it. Further messages wait in the queue, which their senders do not
  // notice.
  mail_destination: { max: 3000, windowSeconds: 3600 },
} as const satisfies Record<string, BucketRule>;

export type MailLimitName = keyof typeof rules;
export type MailLimitRules = Record<MailLimitName, BucketRule>;

export const mailLimitNames = Object.keys(rules) as MailLimitName[];

/**
 * The limits of the mail path with the operator's overrides applied; `null` when limits are off (for load tests).
 * @param processes number of processes among which they are divided
 */
export function mailLimitRules(
  overrides: "off" | ReadonlyMap<string, LimitChange>,
  processes = 1,
): MailLimitRules | null {
  if (overrides === "off") return null;
  const changed: MailLimitRules = { ...rules };
  for (const name of mailLimitNames) changed[name] = partOfRule(overrides.get(name) ?? rules[name], processes);
  return changed;
}

/** All names that `KAUKE_LIMITS` may contain, so that a mistyped name is reported instead of ignored. */
export const limitNames: readonly string[] = [...rateLimitNames, ...mailLimitNames];
