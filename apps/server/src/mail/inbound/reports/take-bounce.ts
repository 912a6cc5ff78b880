/**
 * Processes what mail hosts send to the envelope sender of mail we forwarded: reports in any form, and absence notes.
 * The recipient address, authenticated by our keyed hash, names the alias and possibly the original sender. A report may
 * be written by anybody: only its form and status are used. Its text is not passed on, because it names the owner's real
 * address: the owner gets a notice, and the original sender, if the address names one, a report of our own that mentions
 * only the alias. An absence note is sent to the original sender if a mailbox of the alias is proven to have written it
 * (`send-note.ts`).
 */
import { addressesOf, type DeliveryReportFacts, type HeaderSource, readDeliveryReport, unstuff } from "@kauke/mail-rfc";
import type { AliasRoute } from "../../../core/alias/alias.ts";
import type { AliasStore } from "../../../core/alias/alias-store.ts";
import { isMailboxOf } from "../../../core/destination/same-mailbox.ts";
import type { FailureReporter } from "../../delivery/failures.ts";
import type { DeliveryReports } from "../../message/delivery-reports.ts";
import { mailboxesOf } from "../../message/write-as-alias.ts";
import type { SmtpReply } from "../../reply.ts";
import type { BounceRecipient } from "../../transaction.ts";
import type { ScreenedMessage } from "../screen.ts";
import type { BounceLimits } from "./bounce-limits.ts";
import { type SendNoteDeps, sendNote } from "./send-note.ts";

export interface TakeBounceDeps {
  aliases: Pick<AliasStore, "findRouteById">;
  failures: Pick<FailureReporter, "reportBounce" | "reportNote">;
  /** Sends reports to proven senders; `null` when senders are not authenticated here, so that none is proven. */
  reports: DeliveryReports | null;
  limits: Pick<BounceLimits, "takeNotice" | "takeReport">;
}

/**
 * Processes a message to bounce addresses. Hosts report in their own words and languages, so whatever is no report in a
 * known form and no absence note counts as a failure of unknown reason, which only the owner is told.
 * @returns the deferral of an absence note, else `null`
 */
export async function takeBounces(
  { transaction, screened }: ScreenedMessage,
  bounces: readonly BounceRecipient[],
  deps: TakeBounceDeps & { sendNote: SendNoteDeps },
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
    const result = await sendNote(transaction, header, { bounce, route }, deps.sendNote);
    if (result.kind === "deferral") return result.reply;
    if (result.kind === "done" || !deps.limits.takeNotice(route)) continue;
    if (isFromDestination(source, route)) await deps.failures.reportNote(route, result.why);
    else await deps.failures.reportBounce(route);
  }
  return null;
}

/** Whether the message says that a mailbox of the alias wrote it: an absence note, which answers the envelope sender. */
function isFromDestination(source: HeaderSource, route: AliasRoute): boolean {
  const authors = addressesOf(source, "from").mailboxes;
  return authors.some(({ address }) => mailboxesOf(route).some((mailbox) => isMailboxOf(address, mailbox)));
}

type BoundBounce = BounceRecipient & { aliasId: string };

/** One bounce per alias: a message that names several bounce addresses of an alias triggers one notice at most. */
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

async function notify({ route, sender, facts, arrivedAt }: AliasBounce, deps: TakeBounceDeps): Promise<void> {
  const { aliasId, userId, address: aliasAddress } = route;
  if (deps.limits.takeNotice(route)) await deps.failures.reportBounce(route);
  if (deps.reports === null || sender === null || !deps.limits.takeReport({ aliasId, userId, sender })) return;
  const { enhancedStatus } = facts;
  await deps.reports.send({ aliasId, userId, aliasAddress, to: sender, enhancedStatus, arrivedAt });
}
