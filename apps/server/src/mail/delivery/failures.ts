/** Final failures: a notice to the owner, at most hourly per failure, and a report to a proven sender. */

import { formatSpan } from "@kauke/mail-rfc";
import type { AliasRoute } from "../../core/alias/alias.ts";
import type { GoneWebhook } from "../../core/alias/update-alias.ts";
import { type Delivery, type DeliveryTarget, type FinalFailure, failureText } from "../../core/delivery/delivery.ts";
import type { MessageBodies } from "../../core/message/message.ts";
import { type Notice, type NoticeDeps, RepeatedNotices } from "../../core/notice.ts";
import type { RetryPlan } from "../../limits/backoff.ts";
import type { DeliveryReports, FailedMail } from "../message/delivery-reports.ts";

export interface FailedDelivery extends Omit<Delivery, "id" | "attempts"> {
  wire?: Buffer;
}

export function withoutSenderReport<T extends { target: DeliveryTarget }>(delivery: T): T {
  return { ...delivery, target: { ...delivery.target, reportTo: undefined } };
}

export interface FailureReporter {
  /** Never throws: a failed notice must not undo a delivery. */
  report(delivery: FailedDelivery, failure: FinalFailure): Promise<void>;
  /** Does not name the mailbox of a late bounce, because nothing proves which one bounced. */
  reportBounce(route: AliasRoute): Promise<void>;
  reportNote(route: AliasRoute, why: NoteRefusal): Promise<void>;
  reportComplaint(route: AliasRoute): Promise<void>;
  /** For a queue row that stayed unreadable until the end of the retry schedule. */
  reportUnreadable(lost: Pick<FailedDelivery, "aliasId" | "userId">): Promise<void>;
  reportNotEncrypted(alias: Pick<AliasRoute, "aliasId" | "userId" | "address">): Promise<void>;
}

function whatFailed({ purpose, aliasAddress }: DeliveryTarget): string {
  if (purpose === "confirm") return "Our question for confirmation could not be delivered";
  if (purpose === "account") return "Our message to your e-mail could not be delivered";
  return `${purpose === "send" ? "Your mail from" : "Mail to"} ${aliasAddress} could not be delivered`;
}

function statusOf({ enhancedStatus, last }: FinalFailure) {
  return { enhancedStatus, ...(last === undefined ? {} : { reasonStatus: last.enhancedStatus }) };
}

function textOf({ code, last }: FinalFailure, triedSeconds: number): string {
  if (code !== "expired") return failureText[code];
  const why = last === undefined ? "" : `: ${failureText[last.code]}`;
  return `it did not take the message within ${formatSpan(triedSeconds)}${why}`;
}

async function reportToSender(
  { messageId, wire, ...failed }: Omit<FailedMail, "enhancedStatus"> & Pick<FailedDelivery, "messageId" | "wire">,
  failure: FinalFailure,
  { bodies, reports, retries }: Pick<ReporterDeps, "bodies" | "reports" | "retries">,
): Promise<void> {
  const readStart = async () => wire ?? (await bodies.getStart(messageId));
  // A final failure with 4.x.x means that the retry schedule was used up.
  const tried = failure.enhancedStatus.startsWith("4.") ? { triedSeconds: retries.totalSeconds } : {};
  await reports.send({ ...failed, ...statusOf(failure), ...tried, readStart });
}

const noteNotSent = {
  unproven:
    "nothing proves that your mailbox wrote it: that takes the field Auto-Submitted: auto-replied and a DKIM signature of your mailbox' domain over From, To and Subject. Or have your mail program answer to From or Reply-To",
  unknown_sender: "the sender of that mail is not proven, so that it could have gone to somebody else",
  content: "it contains the address of your mailbox, or names people by their real addresses",
} as const;

export type NoteRefusal = keyof typeof noteNotSent;

const lostText = "A message that waited to be delivered for you is lost: it could not be read back from our store.";

const HOUR_SECONDS = 3600;

interface ReporterDeps extends NoticeDeps {
  pauseWebhook(gone: GoneWebhook): Promise<void>;
  bodies: Pick<MessageBodies, "getStart">;
  reports: DeliveryReports;
  retries: Pick<RetryPlan, "totalSeconds">;
}

export function failureReporter(deps: ReporterDeps): FailureReporter {
  const { logger } = deps;
  const { totalSeconds } = deps.retries;
  const notices = new RepeatedNotices(deps, HOUR_SECONDS);
  const notify = (
    { aliasId, userId }: Pick<Notice, "aliasId" | "userId">,
    about: string,
    text: string,
    kind: Notice["kind"] = "delivery_failed",
  ) => notices.add(`${aliasId}\0${about}`, { userId, aliasId, kind, text });
  return {
    async report({ messageId, aliasId, userId, target, createdAt, wire }, failure) {
      logger.info("delivery_failed", { code: failure.code, ...(aliasId === null ? {} : { id: aliasId }) });
      // Mail that waits for the paused webhook then fails without a call.
      if (failure.code === "webhook_gone") await pauseWebhook({ aliasId, userId, target }, deps);
      const { aliasAddress, reportTo } = target;
      const about = { aliasId, userId, aliasAddress, arrivedAt: createdAt };
      if (reportTo !== undefined) await reportToSender({ ...about, to: reportTo, messageId, wire }, failure, deps);
      // A delivery report that can't be delivered is reported to nobody.
      if (userId === null || target.purpose === "report") return;
      const where = target.destination.kind === "mailbox" ? target.destination.address : target.destination.url;
      const text = `${whatFailed(target)} to ${where}: ${textOf(failure, totalSeconds)}.`;
      await notify({ userId, aliasId }, `${where}\0${failure.code}`, text);
    },
    async reportBounce(route) {
      logger.info("delivery_bounced", { id: route.aliasId });
      const text = `A message to ${route.address} came back: a mailbox it forwards to took it first and refused it later.`;
      await notify(route, "bounce", text);
    },
    async reportNote(route, why) {
      const text = `Your mailbox answered mail to ${route.address} by itself, e.g. with an absence note. It was not sent, because ${noteNotSent[why]}.`;
      await notify(route, "note", text, "answer_not_sent");
    },
    async reportComplaint(route) {
      logger.info("complaint_received", { id: route.aliasId });
      const text = `A message forwarded for ${route.address} was marked as spam in the mailbox it went to. Pause the alias instead if you no longer want its mail: complaints make mail hosts refuse ours.`;
      await notify(route, "complaint", text, "complaint");
    },
    async reportUnreadable({ aliasId, userId }) {
      logger.error("delivery_lost", aliasId === null ? {} : { id: aliasId });
      if (userId !== null) await notify({ userId, aliasId }, `${userId}\0unreadable`, lostText);
    },
    async reportNotEncrypted(alias) {
      logger.warn("sealing_failed", { id: alias.aliasId });
      const text = `Mail to ${alias.address} waits: it could not be encrypted to your key. It is kept, and tried again for ${formatSpan(totalSeconds)}.`;
      await notify(alias, "unsealed", text, "not_sealed");
    },
  };
}

/** Never throws: the next call gets a 410 too, and the webhook is paused then. */
async function pauseWebhook(
  { aliasId, userId, target: { destination } }: Pick<FailedDelivery, "aliasId" | "userId" | "target">,
  deps: ReporterDeps,
): Promise<void> {
  if (destination.kind !== "webhook" || aliasId === null || userId === null) return;
  const gone = { userId, aliasId, url: destination.url, at: deps.clock.now() };
  await deps.pauseWebhook(gone).catch(() => deps.logger.warn("webhook_pause_failed", { id: aliasId }));
}
