/** An owner's message: counted against the account's sending limits, spooled, then queued. */
import type { Mailbox } from "@kauke/mail-rfc";
import type { AliasRoute } from "../../core/alias/alias.ts";
import { AppError } from "../../core/app-error.ts";
import type { DeliveryStore, OpenDelivery } from "../../core/delivery/delivery.ts";
import type { MessageBodies } from "../../core/message/message.ts";
import type { MarksToStore } from "../../core/reply-path.ts";
import type { SpoolPlace, SpoolSpace } from "../../core/spool/spool-space.ts";
import type { Clock, Random } from "../../runtime/ports.ts";
import { reply, replyForThrow, type SmtpReply } from "../reply.ts";

/** Spooled but not queued. Call `enqueue` or `discard`. */
export interface PreparedMessage {
  /** @returns `null` when queued; else the deferral, with nothing left in the spool */
  enqueue(): Promise<SmtpReply | null>;
  discard(): Promise<void>;
}

export interface SpoolDeps {
  deliveries: Pick<DeliveryStore, "enqueue">;
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

/** Without repetitions that differ only in letter case; the last spelling counts. */
export function distinctAddresses(people: readonly Mailbox[]): string[] {
  return [...new Map(people.map(({ address }) => [address.toLowerCase(), address])).values()];
}

/** Resolves once the message is spooled, so that only one of several is in memory at a time. */
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
      await deliveries.enqueue({ ...message, createdAt: now }, rows, marks);
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

export type SendingLimit = "submission" | "automatic_answer";

export interface SendingLimits {
  /** Counts all recipients or, above the limit, none. @throws AppError `rate_limited` */
  take(limit: SendingLimit, recipients: AccountRecipients): Promise<void>;
  giveBack(limit: SendingLimit, recipients: AccountRecipients): Promise<void>;
}

export interface AccountRecipients {
  userId: string;
  weight: number;
}

type Prepared = PreparedMessage | { refusal: SmtpReply };

const overLimit = reply(
  451,
  "4.7.1",
  "With this message you would have written to more people than your account may write to in a day. " +
    "It was sent to nobody. Please write to fewer people, or try again later",
);

/** Counts recipients before `write`; a deferred message does not count, because its sender repeats it. */
export async function writeWithinLimit(
  limits: SendingLimits,
  { limit, ...recipients }: AccountRecipients & { limit: SendingLimit },
  write: () => Promise<Prepared>,
): Promise<Prepared> {
  const giveBack = (weight = recipients.weight) =>
    weight === 0 ? Promise.resolve() : limits.giveBack(limit, { ...recipients, weight }).catch(() => {});
  try {
    await limits.take(limit, recipients);
  } catch (thrown) {
    const isOver = thrown instanceof AppError && thrown.code === "rate_limited";
    return { refusal: isOver ? overLimit : replyForThrow(thrown) };
  }
  try {
    const prepared = await write();
    // A refused message reached nobody; it counts once, because writing and searching it cost something.
    if ("refusal" in prepared)
      await giveBack(isTemporary(prepared.refusal) ? recipients.weight : recipients.weight - 1);
    return "refusal" in prepared ? prepared : givenBackUnlessQueued(prepared, giveBack);
  } catch (thrown) {
    await giveBack();
    throw thrown;
  }
}

function givenBackUnlessQueued(prepared: PreparedMessage, giveBack: () => Promise<void>): PreparedMessage {
  return {
    enqueue: async () => {
      const deferral = await prepared.enqueue();
      if (deferral !== null) await giveBack();
      return deferral;
    },
    discard: async () => {
      await prepared.discard();
      await giveBack();
    },
  };
}

const isTemporary = ({ code }: SmtpReply): boolean => code < 500;
