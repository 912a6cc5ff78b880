/** Messages under way and the queue: how they move into it, when their attempt failed or the process ended before it was over. */

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
    await files.forget(message.id);
    return hasOwner;
  }

  async function readAndMove(it: Omit<InFlightMessage, "wire">): Promise<boolean> {
    const found = await files.read(it.message.id);
    if (found === null) throw new AppError("spool_failed");
    return await move({ ...it, wire: found.wire });
  }

  return {
    keep: (it) => files.keep(it),
    forget: (messageId) => files.forget(messageId),
    moveToQueue: ({ wire, ...it }) => {
      if (wire !== null) return move({ ...it, wire });
      // Many bytes may have been dropped at the same moment: one message at a time comes back into memory.
      const moved = reading.then(() => readAndMove(it));
      reading = moved.catch(() => {});
      return moved;
    },
  };
}

/** At a start: what was under way when the process ended is due at once. @returns how many messages went into the queue */
export async function recoverInFlight(parts: InFlightParts): Promise<number> {
  const { files, deliveries, clock, logger } = parts;
  const { moveToQueue } = inFlightMessages(parts);
  let recovered = 0;
  for (const messageId of await files.list()) {
    const found = await files.read(messageId);
    if (found === null) logger?.error("underway_unreadable", { id: messageId });
    // The queue had it already, and the process ended before its file was gone.
    else if (await deliveries.isKnownMessage(messageId)) await files.forget(messageId);
    else if (await moveToQueue(dueNow(found, clock.now()))) recovered += 1;
  }
  return recovered;
}

function dueNow({ message, delivery, wire }: InFlightMessage, now: Date): InFlightMessage {
  return { message, delivery: { ...delivery, lease: null, notBefore: now }, wire };
}

const FOREIGN_KEY_VIOLATION = "23503";

/** Alias or account were deleted meanwhile, and their mail with them. */
const isOwnerGone = (thrown: unknown): boolean =>
  thrown instanceof Error && isDatabaseError(thrown.cause, FOREIGN_KEY_VIOLATION);
