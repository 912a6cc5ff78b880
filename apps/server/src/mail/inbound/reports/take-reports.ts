/**
 * Reports and absence notes at bounce addresses, and complaints at abuse@. Anybody may write a report, so only its form
 * and status are used; its text, which names the owner's real address, is not passed on.
 */

import { hash } from "node:crypto";
import {
  addressesOf,
  type DeliveryReportFacts,
  type HeaderSource,
  MailSyntaxError,
  parsePath,
  readDeliveryReport,
  readFeedbackReport,
  unstuff,
} from "@kauke/mail-rfc";
import { type AliasRoute, type AliasStore, mailboxesAmong } from "../../../core/alias/alias.ts";
import { isMailboxOf } from "../../../core/destination/same-mailbox.ts";
import { type BucketRule, spendAll, TokenBuckets } from "../../../limits/rate.ts";
import { bounds, partOfRule } from "../../../limits/table.ts";
import { type Clock, type Random, steadyMs } from "../../../runtime/ports.ts";
import type { FailureReporter } from "../../delivery/failures.ts";
import type { DeliveryReports } from "../../message/delivery-reports.ts";
import { accept, endWith, type SmtpReply, type StageVerdict } from "../../reply.ts";
import type { BounceRecipient, Transaction } from "../../transaction.ts";
import type { ScreenedMessage } from "../arrived-message.ts";
import type { PrepareRepliesDeps } from "../owner-replies.ts";
import { type ResolveDeps, resolve } from "../resolve.ts";
import { sendNote } from "./send-note.ts";

export interface TakeReportsDeps {
  resolve: ResolveDeps;
  aliases: Pick<AliasStore, "findRouteById">;
  failures: Pick<FailureReporter, "reportBounce" | "reportNote" | "reportComplaint">;
  /** `null` when senders are not authenticated, so that none is proven. */
  reports: DeliveryReports | null;
  limits: Pick<BounceLimits, "takeNotice" | "takeReport">;
  ownerReplies: PrepareRepliesDeps;
}

export async function takeReports(
  message: ScreenedMessage,
  deps: TakeReportsDeps,
): Promise<StageVerdict<ScreenedMessage>> {
  const { transaction } = message;
  const bounces = transaction.recipients.filter((recipient) => recipient.kind === "bounce");
  const deferral = await takeBounces(message, bounces, deps);
  if (deferral !== null) return endWith(deferral);
  await takeComplaint(transaction, deps);
  return accept(message);
}

/** What is neither a known report nor an absence note counts as a failure, of which only the owner is told. */
async function takeBounces(
  { transaction, screened }: ScreenedMessage,
  bounces: readonly BounceRecipient[],
  deps: TakeReportsDeps,
): Promise<SmtpReply | null> {
  if (bounces.length === 0) return null;
  const { wire, envelope } = transaction;
  const facts = readDeliveryReport(unstuff(wire));
  if (facts !== null && !facts.hasFailed) return null;
  const { header } = screened;
  const source = { header: wire.subarray(0, header.end), fields: header.fields };
  for (const bounce of firstOfEachAlias(bounces)) {
    const route = await deps.aliases.findRouteById(bounce.aliasId);
    if (route === null) continue;
    if (facts !== null) {
      await notify({ route, sender: bounce.sender, facts, arrivedAt: envelope.receivedAt }, deps);
      continue;
    }
    const result = await sendNote(transaction, header, { bounce, route }, deps.ownerReplies);
    if (result.kind === "deferral") return result.reply;
    if (result.kind === "done" || !deps.limits.takeNotice(route)) continue;
    if (isFromDestination(source, route)) await deps.failures.reportNote(route, result.why);
    else await deps.failures.reportBounce(route);
  }
  return null;
}

/** Whether an absence note is from a destination of the alias: it replies to the envelope sender. */
function isFromDestination(source: HeaderSource, route: AliasRoute): boolean {
  const authors = addressesOf(source, "from").mailboxes;
  return authors.some(({ address }) =>
    mailboxesAmong(route.destinations).some((mailbox) => isMailboxOf(address, mailbox)),
  );
}

type BoundBounce = BounceRecipient & { aliasId: string };

/** A message that names several bounce addresses of an alias triggers one notice at most. */
function firstOfEachAlias(bounces: readonly BounceRecipient[]): BoundBounce[] {
  const byAlias = new Map<string, BoundBounce>();
  for (const { aliasId, ...bounce } of bounces) {
    if (aliasId !== null && !byAlias.has(aliasId)) byAlias.set(aliasId, { ...bounce, aliasId });
  }
  return [...byAlias.values()];
}

interface AliasBounce {
  route: AliasRoute;
  sender: string | null;
  facts: DeliveryReportFacts;
  arrivedAt: Date;
}

async function notify({ route, sender, facts, arrivedAt }: AliasBounce, deps: TakeReportsDeps): Promise<void> {
  const { aliasId, userId, address: aliasAddress } = route;
  if (deps.limits.takeNotice(route)) await deps.failures.reportBounce(route);
  if (deps.reports === null || sender === null || !deps.limits.takeReport({ aliasId, userId, sender })) return;
  const { enhancedStatus } = facts;
  await deps.reports.send({ aliasId, userId, aliasAddress, to: sender, enhancedStatus, arrivedAt });
}

/** Notifies the alias' owner of a complaint (ARF), found by our keyed hash in the quoted envelope sender. */
async function takeComplaint({ wire, recipients }: Transaction, deps: TakeReportsDeps): Promise<void> {
  if (!recipients.some((to) => to.kind === "operator" && to.address.startsWith("abuse@"))) return;
  const facts = readFeedbackReport(unstuff(wire));
  const aliasId = facts === null ? null : await aliasOf(facts.mailFrom, deps.resolve);
  const route = aliasId === null ? null : await deps.aliases.findRouteById(aliasId);
  if (route !== null && deps.limits.takeNotice(route)) await deps.failures.reportComplaint(route);
}

/** @returns `null` for an address that is not our bounce address, or names no alias */
async function aliasOf(mailFrom: string, deps: ResolveDeps): Promise<string | null> {
  try {
    const verdict = await resolve(parsePath(`<${mailFrom}>`), true, deps);
    return verdict.verdict === "accept" && verdict.value.kind === "bounce" ? verdict.value.aliasId : null;
  } catch (thrown) {
    if (thrown instanceof MailSyntaxError) return null;
    throw thrown;
  }
}

const DAY_SECONDS = 86_400;
const { bounceNotices, bounceReports } = bounds;

const aDay = (max: number): BucketRule => ({ max, windowSeconds: DAY_SECONDS });

const rules = {
  aliasNotice: { max: bounceNotices.alias, windowSeconds: bounceNotices.aliasMs / 1000 },
  accountNotice: aDay(bounceNotices.account),
  pair: aDay(bounceReports.pair),
  sender: aDay(bounceReports.sender),
  alias: aDay(bounceReports.alias),
  account: aDay(bounceReports.account),
};

type RuleName = keyof typeof rules;

export interface BouncedMail {
  aliasId: string;
  userId: string;
  sender: string;
}

interface BounceLimitsParts {
  clock: Clock;
  random: Random;
  /** Senders are counted by keyed hashes; default: a random key. */
  hashKey?: Buffer;
  processes?: number | undefined;
}

/**
 * Whoever knows a bounce address may send any number of reports: those over a limit are accepted without effect. The
 * limit per sender is below that of `delivery-reports.ts`, so bounces never use up reports about mail that failed here.
 */
export class BounceLimits {
  readonly #clock: Clock;
  readonly #key: string;
  readonly #buckets: Record<RuleName, TokenBuckets>;

  constructor({ clock, random, hashKey, processes = 1 }: BounceLimitsParts) {
    this.#clock = clock;
    this.#key = (hashKey ?? random.bytes(32)).toString("base64");
    const buckets = Object.entries(rules).map(([name, rule]) => [
      name,
      new TokenBuckets(partOfRule(rule, processes), bounds.rateBuckets.keys),
    ]);
    this.#buckets = Object.fromEntries(buckets) as Record<RuleName, TokenBuckets>;
  }

  takeNotice({ aliasId, userId }: Omit<BouncedMail, "sender">): boolean {
    return this.#takeAll([
      ["aliasNotice", aliasId],
      ["accountNotice", userId],
    ]);
  }

  takeReport({ aliasId, userId, sender }: BouncedMail): boolean {
    const to = hash("sha256", this.#key + sender.toLowerCase(), "latin1").slice(0, 16);
    return this.#takeAll([
      ["pair", `${aliasId}${to}`],
      ["sender", to],
      ["alias", aliasId],
      ["account", userId],
    ]);
  }

  #takeAll(keys: readonly (readonly [RuleName, string])[]): boolean {
    const counted = keys.map(([name, key]) => [this.#buckets[name], key] as const);
    return spendAll(counted, steadyMs(this.#clock));
  }
}
