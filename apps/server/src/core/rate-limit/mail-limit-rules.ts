/**
 * Every limit of the mail path, as one table; `KAUKE_LIMITS` overrides by name. Each is a bucket: so many at once, then so many
 * per window. A mailbox in ordinary use meets none of them; who does is told to come back (451), so no mail is lost to one.
 */
import type { LimitChange } from "./rate-limit-rules.ts";
import type { BucketRule } from "./token-buckets.ts";

const rules = {
  // Per block of client addresses. A large provider's mail for all our users comes out of a few blocks, often one connection
  // for each message: ten a second without end is 36,000 an hour from one block.
  mail_connections_ip: { max: 6000, windowSeconds: 600 },
  mail_messages_ip: { max: 6000, windowSeconds: 600 },
  // RCPT commands, taken or not: two for each message the block may send.
  mail_recipients_ip: { max: 12_000, windowSeconds: 600 },
  // Somebody tries names. Lists that still write to deleted aliases stay below 3,000 an hour.
  mail_unknown_ip: { max: 500, windowSeconds: 600 },
  // A mail bomb. The busiest mailing lists bring some hundred an hour.
  mail_alias: { max: 600, windowSeconds: 3600 },
  // A mail bomb over all aliases of a person.
  mail_account: { max: 3000, windowSeconds: 3600 },
  // Messages sent to one mailbox or webhook over all accounts: large providers take no more than about one a second for a mailbox.
  // One account has a third of it. More waits in the queue, and the sender hears nothing of it.
  mail_destination: { max: 3000, windowSeconds: 3600 },
} as const satisfies Record<string, BucketRule>;

export type MailLimitName = keyof typeof rules;
export type MailLimitRules = Record<MailLimitName, BucketRule>;

export const mailLimitNames = Object.keys(rules) as MailLimitName[];

/** The table with the operator's overrides; `null`: no limits at all (load tests). */
export function mailLimitRules(overrides: "off" | ReadonlyMap<string, LimitChange>): MailLimitRules | null {
  if (overrides === "off") return null;
  const changed: MailLimitRules = { ...rules };
  for (const name of mailLimitNames) changed[name] = overrides.get(name) ?? rules[name];
  return changed;
}
