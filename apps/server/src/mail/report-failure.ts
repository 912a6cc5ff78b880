/** Tells the owner that a destination finally failed: a notice in the dashboard, at most one an hour for the same trouble. */

import type { AliasRoute } from "../core/alias/alias.ts";
import type { DeliveryFailure, DeliveryTarget } from "../core/delivery/delivery.ts";
import { failureText } from "../core/delivery/failure-text.ts";
import type { Notice, NoticeStore } from "../core/notice/notice.ts";
import type { Clock, Logger, Random } from "../core/ports.ts";
import type { DeliveryReports } from "./delivery-reports.ts";

export interface FailureReporter {
  /** Never throws: a notice that can't be written must not undo a delivery. */
  report(
    delivery: { aliasId: string | null; userId: string | null; target: DeliveryTarget; createdAt: Date },
    failure: DeliveryFailure,
  ): Promise<void>;
  /** A mailbox behind the alias took a message and sent it back later; the report does not say safely which. */
  reportBounce(route: AliasRoute): Promise<void>;
  /** Mail waits, since it could not be sealed. */
  reportUnsealed(alias: Pick<AliasRoute, "aliasId" | "userId" | "address">): Promise<void>;
}

function whatFailed({ purpose, aliasAddress }: DeliveryTarget): string {
  if (purpose === "confirm") return "Our question for confirmation could not be delivered";
  if (purpose === "account") return "Our message to your e-mail could not be delivered";
  return `${purpose === "send" ? "Your mail from" : "Mail to"} ${aliasAddress} could not be delivered`;
}

const quietMs = 3_600_000;
const maxRemembered = 10_000;

export function failureReporter(deps: {
  notices: Pick<NoticeStore, "insert">;
  clock: Clock;
  random: Random;
  logger: Logger;
  reports: DeliveryReports;
}): FailureReporter {
  const toldAt = new Map<string, number>();

  function isNews(key: string, now: number): boolean {
    const last = toldAt.get(key);
    if (last !== undefined && now - last < quietMs) return false;
    const oldest = toldAt.keys().next().value;
    if (toldAt.size >= maxRemembered && oldest !== undefined) toldAt.delete(oldest);
    toldAt.set(key, now);
    return true;
  }

  async function tell(
    key: string,
    notice: Pick<Notice, "userId" | "aliasId" | "text">,
    kind: Notice["kind"] = "delivery_failed",
  ): Promise<void> {
    const now = deps.clock.now();
    if (!isNews(key, now.getTime())) return;
    try {
      await deps.notices.insert({ ...notice, id: deps.random.uuid(), kind, createdAt: now });
    } catch {
      toldAt.delete(key);
      deps.logger.warn("notice_failed");
    }
  }

  return {
    async report({ aliasId, userId, target, createdAt }, failure) {
      deps.logger.info("delivery_failed", { code: failure.code, ...(aliasId === null ? {} : { id: aliasId }) });
      const { aliasAddress, reportTo } = target;
      if (reportTo !== undefined) {
        const { enhancedStatus } = failure;
        await deps.reports.send({ aliasId, userId, aliasAddress, to: reportTo, enhancedStatus, arrivedAt: createdAt });
      }
      // A report that can't be delivered is nobody's business.
      if (userId === null || target.purpose === "report") return;
      const where = target.destination.kind === "mailbox" ? target.destination.address : target.destination.url;
      const text = `${whatFailed(target)} to ${where}: ${failureText[failure.code]}.`;
      await tell(`${aliasId}\0${where}\0${failure.code}`, { userId, aliasId, text });
    },
    async reportBounce({ aliasId, userId, address }) {
      deps.logger.info("delivery_bounced", { id: aliasId });
      const text = `A message to ${address} came back: a mailbox it forwards to took it first and refused it later.`;
      await tell(`${aliasId}\0bounce`, { userId, aliasId, text });
    },
    async reportUnsealed({ aliasId, userId, address }) {
      deps.logger.warn("sealing_failed", { id: aliasId });
      const text = `Mail to ${address} waits: it could not be sealed to your key. It is kept, and tried again for five days.`;
      await tell(`${aliasId}\0unsealed`, { userId, aliasId, text }, "not_sealed");
    },
  };
}
