/** Delivery reports (RFC 3464) to senders proven by SPF; they mention the alias only, and are limited per address. */

import {
  buildDeliveryReport,
  domainOf,
  type HeaderSource,
  MailSyntaxError,
  makeMessageId,
  readHeader,
  stuff,
  toBase32,
} from "@kauke/mail-rfc";
import type { DeliveryStore, OpenDelivery } from "../../core/delivery/delivery.ts";
import { enqueueMessage, type MessageBodies } from "../../core/message/message.ts";
import { FixedWindows } from "../../limits/rate.ts";
import { bounds, partOf } from "../../limits/table.ts";
import { type Clock, type Logger, type Random, steadyMs } from "../../runtime/ports.ts";

export interface FailedMail {
  aliasId: string | null;
  userId: string | null;
  aliasAddress: string;
  to: string;
  enhancedStatus: string;
  /** Status of the last attempt, when `enhancedStatus` only says that the schedule was used up. */
  reasonStatus?: string;
  /** Seconds during which delivery was attempted. */
  triedSeconds?: number;
  arrivedAt: Date;
  /** Reads at least the header; `null` if the message was deleted. Absent for bounces. */
  readStart?: () => Promise<Buffer | null>;
}

export interface DeliveryReports {
  /** Never throws: a report that can't be stored must not undo a delivery. */
  send(failed: FailedMail): Promise<void>;
}

export interface DeliveryReportDeps {
  deliveries: Pick<DeliveryStore, "enqueue">;
  bodies: Pick<MessageBodies, "put" | "delete">;
  reportingMta: string;
  clock: Clock;
  random: Random;
  logger: Logger;
  processes?: number;
}

const DAY_SECONDS = 86_400;

export function deliveryReports(deps: DeliveryReportDeps): DeliveryReports {
  const { clock, processes = 1 } = deps;
  const { failureReports, remembered } = bounds;
  const sent = new FixedWindows(
    { max: partOf(failureReports.address, processes), windowSeconds: DAY_SECONDS },
    remembered.reportedTo,
  );

  return {
    async send(failed) {
      const to = failed.to.toLowerCase();
      if (!sent.take(to, steadyMs(clock))) return;
      try {
        await enqueueReport(failed, deps);
      } catch {
        deps.logger.warn("delivery_report_failed");
      }
    },
  };
}

async function headerOf({ readStart }: FailedMail): Promise<HeaderSource> {
  const start = (await readStart?.().catch(() => null)) ?? Buffer.alloc(0);
  try {
    const { fields, end } = readHeader(start);
    return { header: start.subarray(0, end), fields };
  } catch (thrown) {
    if (thrown instanceof MailSyntaxError) return { header: Buffer.alloc(0), fields: [] };
    throw thrown;
  }
}

async function enqueueReport(failed: FailedMail, deps: DeliveryReportDeps): Promise<void> {
  const { bodies, clock, deliveries, random } = deps;
  const id = random.uuid();
  const at = clock.now();
  const { aliasId, userId, aliasAddress, to } = failed;
  const original = await headerOf(failed);
  const bytes = buildDeliveryReport({
    ...failed,
    reportingMta: deps.reportingMta,
    at,
    messageId: makeMessageId(random.bytes(16), domainOf(aliasAddress)),
    boundary: toBase32(random.bytes(16)),
    original,
  });
  const wire = stuff(bytes);
  const nobody = { envelopeFrom: "", helo: "", clientAddress: "", protocol: "ESMTP" as const };
  const envelope = { ...nobody, receivedAt: at, eightBit: false, smtpUtf8: false };
  const row: OpenDelivery = {
    id: random.uuid(),
    messageId: id,
    aliasId,
    userId,
    target: { purpose: "report", destination: { kind: "mailbox", address: to }, aliasAddress },
    attempts: 0,
    createdAt: at,
    notBefore: at,
    lease: null,
    lastFailure: null,
  };
  const message = { id, envelope, sizeBytes: wire.length, createdAt: at };
  await enqueueMessage(bodies, { id, wire }, () => deliveries.enqueue(message, [row]));
}
