/** Moves in-flight messages into the queue, after a failed attempt or after the process ended during the attempt. */
import { AppError } from "../../core/app-error.ts";
import type { InFlightMessage, InFlightMessages } from "../../core/delivery/in-flight.ts";
import { enqueueMessage } from "../../core/message/enqueue-message.ts";
import type { MessageBodies } from "../../core/message/message.ts";
import type { Clock, Logger } from "../../core/ports.ts";
import { isDatabaseError } from "../database.ts";
import type { InFlightFiles } from "./bodies/in-flight-files.ts";
import type { DeliveryRepository } from "./deliveries.ts";

export interface InFlightParts {
  files: InFlightFiles;
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
    // The message is in the queue: a second move would fail and delete its body. The next start deletes the file.
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
    moveToQueue: ({ wire, ...entry }) => {
      if (wire !== null) return move({ ...entry, wire });
      // The bytes of many messages may have been dropped from memory at the same time, so they are read back one
      // message at a time.
      const moved = reading.then(() => readAndMove(entry));
      reading = moved.catch(() => {});
      return moved;
    },
  };
}

/**
 * Called at start: messages that were in flight when the previous process ended are queued and due at once.
 * @returns number of messages moved into the queue
 */
export async function recoverInFlight(parts: InFlightParts): Promise<number> {
  const { files, deliveries, clock, logger } = parts;
  const { moveToQueue } = inFlightMessages(parts);
  let recovered = 0;
  for (const messageId of await files.list()) {
    const found = await files.read(messageId);
    if (found === null) logger?.error("in_flight_unreadable", { id: messageId });
    // The message is in the queue already: the previous process ended before it removed the in-flight file.
    else if (await deliveries.isKnownMessage(messageId)) await files.forget(messageId);
    else if (await moveToQueue(dueNow(found, clock.now()))) recovered += 1;
  }
  return recovered;
}

function dueNow({ message, delivery, wire }: InFlightMessage, now: Date): InFlightMessage {
  return { message, delivery: { ...delivery, lease: null, notBefore: now }, wire };
}

const FOREIGN_KEY_VIOLATION = "23503";

/** Whether the message could not be queued because its alias or account was deleted meanwhile, and its mail with it. */
const isOwnerGone = (thrown: unknown): boolean =>
  thrown instanceof Error && isDatabaseError(thrown.cause, FOREIGN_KEY_VIOLATION);
