/** Moves in-flight messages into the queue, after a failed attempt or after the process ended during the attempt. */
import { AppError } from "../../core/app-error.ts";
import type { InFlightMessage, InFlightMessages } from "../../core/delivery/in-flight.ts";
import { enqueueMessage, type MessageBodies } from "../../core/message/message.ts";
import type { Clock, Logger } from "../../runtime/ports.ts";
import { isDatabaseError } from "../database.ts";
import type { InFlightFiles } from "./bodies/in-flight-files.ts";
import type { DeliveryRepository } from "./deliveries.ts";

export interface InFlightParts {
  files: Pick<InFlightFiles, "keep" | "forget" | "list" | "read">;
  deliveries: Pick<DeliveryRepository, "isKnownMessage" | "keep">;
  bodies: Pick<MessageBodies, "put" | "delete">;
  clock: Clock;
  logger: Logger | undefined;
}

export function inFlightMessages({ files, deliveries, bodies }: InFlightParts): InFlightMessages {
  let reading: Promise<unknown> = Promise.resolve();

  async function move({ message, delivery, wire }: InFlightMessage): Promise<boolean> {
    let hasOwner = true;
    try {
      await enqueueMessage(bodies, { id: message.id, wire }, () => deliveries.keep(message, [delivery]));
    } catch (thrown) {
      if (!isOwnerGone(thrown)) throw thrown;
      hasOwner = false;
    }
    // If this fails the file stays: repeating the move would fail and delete the body. The next start deletes the file.
    await files.forget(message.id).catch(() => {});
    return hasOwner;
  }

  async function readAndMove(entry: Omit<InFlightMessage, "wire">): Promise<boolean> {
    const found = await files.read(entry.message.id);
    if (found === null) throw new AppError("spool_failed");
    return await move({ ...entry, wire: found.wire });
  }

  return {
    keep: (message) => files.keep(message),
    forget: (messageId) => files.forget(messageId),
    moveToQueue: async ({ wire, ...entry }) => {
      if (wire !== null) return await move({ ...entry, wire });
      // The bytes of many messages may have been dropped from memory at the same time, so they are read back one
      // message at a time.
      const moved = reading.then(() => readAndMove(entry));
      reading = moved.catch(() => {});
      return await moved;
    },
  };
}

/**
 * Called at start: messages that were in flight when the previous process ended are queued and due at once.
 * @returns number of messages moved into the queue
 */
export async function recoverInFlight(parts: InFlightParts): Promise<number> {
  let recovered = 0;
  for (const messageId of await parts.files.list()) if (await recoverOne(messageId, parts)) recovered += 1;
  return recovered;
}

/** @returns whether the message was moved into the queue */
async function recoverOne(messageId: string, parts: InFlightParts): Promise<boolean> {
  const { files, deliveries, clock, logger } = parts;
  const found = await files.read(messageId);
  if (found === null) {
    logger?.error("in_flight_unreadable", { id: messageId });
    return false;
  }
  if (!(await deliveries.isKnownMessage(messageId)))
    return await inFlightMessages(parts).moveToQueue(dueNow(found, clock.now()));
  // The message is already in the queue: the previous process ended before it could remove the file.
  await files.forget(messageId);
  return false;
}

function dueNow({ message, delivery, wire }: InFlightMessage, now: Date): InFlightMessage {
  return { message, delivery: { ...delivery, lease: null, notBefore: now }, wire };
}

const FOREIGN_KEY_VIOLATION = "23503";

/** Whether the message could not be queued because its alias or account was deleted meanwhile, and its mail with it. */
const isOwnerGone = (thrown: unknown): boolean =>
  thrown instanceof Error && isDatabaseError(thrown.cause, FOREIGN_KEY_VIOLATION);
