import type { MessageBodies } from "./message.ts";

/**
 * Puts a message into the queue: first its body onto stable storage, then its rows. If the rows cannot be stored, the
 * body is deleted again.
 * @param insertRows commits the message's rows
 * @throws what storing throws; then nothing was enqueued
 */
export async function enqueueMessage(
  bodies: Pick<MessageBodies, "put" | "delete">,
  { id, wire }: { id: string; wire: Buffer },
  insertRows: () => Promise<unknown>,
): Promise<void> {
  try {
    await bodies.put(id, [wire]);
    await insertRows();
  } catch (thrown) {
    await bodies.delete(id).catch(() => {});
    throw thrown;
  }
}
