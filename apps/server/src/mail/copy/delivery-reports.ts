/**
 * Our own delivery reports (RFC 3464) to senders who are proven to have written, about aliases whose mail finally failed. Names the
 * alias alone. Few to one address, since a report is an answer nobody asked for.
 */

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
import { BoundedMap } from "../../core/bounded-map.ts";
import type { DeliveryStore, OpenDelivery } from "../../core/delivery/delivery.ts";
import { enqueueMessage } from "../../core/message/enqueue-message.ts";
import type { MessageBodies } from "../../core/message/message.ts";
import { type Clock, type Logger, type Random, steadyMs } from "../../core/ports.ts";

export interface FailedMail {
  aliasId: string | null;
  userId: string | null;
  /** Lower case. */
  aliasAddress: string;
  /** The original envelope sender. */
  to: string;
  /** RFC 3463. */
  enhancedStatus: string;
  /** The status of the last attempt, where `enhancedStatus` only says that time ran out. */
  reasonStatus?: string;
  /** How long delivery was tried. */
  triedSeconds?: number;
  arrivedAt: Date;
  /** Reads the message from its first byte to the end of its header at least; `null` when it is gone. Absent: it is not known. */
  readStart?: () => Promise<Buffer | null>;
}

export interface DeliveryReports {
  /** Puts a report into the queue. Never throws: a report that can't be written must not undo a delivery. */
  send(failed: FailedMail): Promise<void>;
}

export interface DeliveryReportDeps {
  deliveries: Pick<DeliveryStore, "keep">;
  bodies: Pick<MessageBodies, "put" | "delete">;
  reportingMta: string;
  clock: Clock;
  random: Random;
  logger: Logger;
}

const mostPerDay = 10;
const dayMs = 86_400_000;
const maxRemembered = 10_000;

export function deliveryReports(deps: DeliveryReportDeps): DeliveryReports {
  const sent = new BoundedMap<string, { since: number; count: number }>(maxRemembered);

  function isWithinLimit(to: string): boolean {
    const now = steadyMs(deps.clock);
    const known = sent.get(to);
    const window = known !== undefined && now - known.since < dayMs ? known : { since: now, count: 0 };
    window.count++;
    sent.set(to, window);
    return window.count <= mostPerDay;
  }

  return {
    async send(failed) {
      if (!isWithinLimit(failed.to.toLowerCase())) return;
      try {
        await enqueueReport(failed, deps);
      } catch {
        deps.logger.warn("delivery_report_failed");
      }
    },
  };
}

/** Empty when the header can't be read (any more): the report is sent without it. */
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
  await enqueueMessage(bodies, { id, wire }, () => deliveries.keep(message, [row]));
}
