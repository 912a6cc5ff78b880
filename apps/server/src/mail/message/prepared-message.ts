import type { Mailbox } from "@kauke/mail-rfc";
import type { AliasRoute } from "../../core/alias/alias.ts";
import type { DeliveryStore, OpenDelivery } from "../../core/delivery/delivery.ts";
import type { MessageBodies } from "../../core/message/message.ts";
import type { MarksToStore } from "../../core/reply-path.ts";
import type { SpoolPlace, SpoolSpace } from "../../core/spool/spool-space.ts";
import type { Clock, Random } from "../../runtime/ports.ts";
import { replyForThrow, type SmtpReply } from "../reply.ts";

/** A message stored in the spool but not queued. Either `enqueue` or `discard` must be called. */
export interface PreparedMessage {
  /** Queues the message. @returns `null`, or the deferral; then nothing of the message stays stored */
  enqueue(): Promise<SmtpReply | null>;
  discard(): Promise<void>;
}

export interface SpoolDeps {
  deliveries: Pick<DeliveryStore, "keep">;
  bodies: Pick<MessageBodies, "put" | "delete">;
  spoolSpace: Pick<SpoolSpace, "reserve">;
  clock: Clock;
  random: Random;
}

interface FinalMessage {
  people: readonly Mailbox[];
  marks?: MarksToStore | undefined;
  envelopeFrom: string;
  wire: Buffer;
  eightBit: boolean;
  smtpUtf8: boolean;
}

/** Addresses without repetitions that differ only in letter case; the last spelling counts. */
export function distinctAddresses(people: readonly Mailbox[]): string[] {
  return [...new Map(people.map(({ address }) => [address.toLowerCase(), address])).values()];
}

/** Spools the message before it returns, so that only one of several is in memory at a time. */
export async function spoolMessage(
  route: AliasRoute,
  { people, marks, wire, envelopeFrom, eightBit, smtpUtf8 }: FinalMessage,
  { bodies, clock, deliveries, random, spoolSpace }: SpoolDeps,
): Promise<PreparedMessage | { refusal: SmtpReply }> {
  const id = random.uuid();
  const now = clock.now();
  const nobody = { envelopeFrom, helo: "", clientAddress: "", protocol: "ESMTP" as const };
  const message = { id, envelope: { ...nobody, receivedAt: now, eightBit, smtpUtf8 }, sizeBytes: wire.length };
  const rows = rowsFor(people, { route, messageId: id, now, random });
  let place: SpoolPlace | null = null;
  const discard = async () => {
    await bodies.delete(id).catch(() => {});
    place?.release();
  };
  /** @returns the deferral, or `null` on success */
  const orDiscard = async (work: () => Promise<void>): Promise<SmtpReply | null> => {
    try {
      await work();
      return null;
    } catch (thrown) {
      await discard();
      return replyForThrow(thrown);
    }
  };
  const refusal = await orDiscard(async () => {
    place = await spoolSpace.reserve(wire.length, rows);
    await bodies.put(id, [wire]);
  });
  if (refusal !== null) return { refusal };
  const enqueue = () =>
    orDiscard(async () => {
      await deliveries.keep({ ...message, createdAt: now }, rows, marks);
      place?.stored();
    });
  return { enqueue, discard };
}

interface RowsFor {
  route: AliasRoute;
  messageId: string;
  now: Date;
  random: Random;
}

function rowsFor(people: readonly Mailbox[], { route, messageId, now, random }: RowsFor): OpenDelivery[] {
  return distinctAddresses(people).map((address) => ({
    id: random.uuid(),
    messageId,
    aliasId: route.aliasId,
    userId: route.userId,
    target: { purpose: "send", destination: { kind: "mailbox", address }, aliasAddress: route.address },
    attempts: 0,
    createdAt: now,
    notBefore: now,
    lease: null,
    lastFailure: null,
  }));
}
