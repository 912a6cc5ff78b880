/**
 * Messages in flight beside the embedded database: `underway/<message id>` holds row, delivery and bytes, sealed. They
 * move into the queue after a failed attempt, or at the start after a process that ended during one.
 */

import { dirname, join } from "node:path";
import { AppError } from "../../core/app-error.ts";
import type { InFlightMessage, InFlightMessages } from "../../core/delivery/delivery.ts";
import { enqueueMessage, type MessageBodies } from "../../core/message/message.ts";
import type { Clock, Logger } from "../../runtime/ports.ts";
import { sharedCalls } from "../concurrency/shared-calls.ts";
import { isDatabaseError } from "../database-error.ts";
import type { ServerKeys } from "../sealing/server-keys.ts";
import { readChunks, sealChunks } from "./bodies/sealed-chunks.ts";
import { putFile, type SpoolFiles, UNFINISHED } from "./bodies/spool-files.ts";
import type { DeliveryRepository } from "./deliveries.ts";

export interface InFlightParts {
  files: Pick<InFlightFiles, "store" | "forget" | "list" | "read">;
  deliveries: Pick<DeliveryRepository, "isKnownMessage" | "enqueue">;
  bodies: Pick<MessageBodies, "put" | "delete">;
  clock: Clock;
  logger: Logger | undefined;
}

export function inFlightMessages({ files, deliveries, bodies }: InFlightParts): InFlightMessages {
  let reading: Promise<unknown> = Promise.resolve();

  async function move({ message, delivery, wire }: InFlightMessage): Promise<boolean> {
    let hasOwner = true;
    try {
      await enqueueMessage(bodies, { id: message.id, wire }, () => deliveries.enqueue(message, [delivery]));
    } catch (thrown) {
      if (!isOwnerGone(thrown)) throw thrown;
      hasOwner = false;
    }
    // A file that can't be deleted stays for the next start: repeating the move would delete the body.
    await files.forget(message.id).catch(() => {});
    return hasOwner;
  }

  async function readAndMove(entry: Omit<InFlightMessage, "wire">): Promise<boolean> {
    const found = await files.read(entry.message.id);
    if (found === null) throw new AppError("spool_failed");
    return await move({ ...entry, wire: found.wire });
  }

  return {
    store: (message) => files.store(message),
    forget: (messageId) => files.forget(messageId),
    moveToQueue: async ({ wire, ...entry }) => {
      if (wire !== null) return await move({ ...entry, wire });
      // Bytes of many messages may have been dropped from memory, so they are read back one at a time.
      const moved = reading.then(() => readAndMove(entry));
      reading = moved.catch(() => {});
      return await moved;
    },
  };
}

/** Enqueues the messages in flight of the previous process. @returns number of messages */
export async function recoverInFlight(parts: InFlightParts): Promise<number> {
  let recovered = 0;
  for (const messageId of await parts.files.list()) if (await recoverOne(messageId, parts)) recovered += 1;
  return recovered;
}

async function recoverOne(messageId: string, parts: InFlightParts): Promise<boolean> {
  const { files, deliveries, clock, logger } = parts;
  const found = await files.read(messageId);
  if (found === null) {
    logger?.error("in_flight_unreadable", { id: messageId });
    return false;
  }
  if (!(await deliveries.isKnownMessage(messageId)))
    return await inFlightMessages(parts).moveToQueue(dueNow(found, clock.now()));
  // The message is in the queue: the previous process ended before it removed the file.
  await files.forget(messageId);
  return false;
}

function dueNow({ message, delivery, wire }: InFlightMessage, now: Date): InFlightMessage {
  return { message, delivery: { ...delivery, lease: null, notBefore: now }, wire };
}

const FOREIGN_KEY_VIOLATION = "23503";

const isOwnerGone = (thrown: unknown): boolean =>
  thrown instanceof Error && isDatabaseError(thrown.cause, FOREIGN_KEY_VIOLATION);

export interface InFlightFiles extends Pick<InFlightMessages, "store" | "forget"> {
  /** Stores sealed bytes that can't be opened, to be reported at every start. */
  keepDamaged(messageId: string, bytes: Buffer): Promise<void>;
  list(): Promise<string[]>;
  read(messageId: string): Promise<InFlightMessage | null>;
}

const HEAD_BYTES = 4;
/** Pattern of a message file's name; other files, such as an editor's copy, are ignored. */
const MESSAGE_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
export const isMessageFile = (name: string): boolean => MESSAGE_ID.test(name);

export function inFlightFiles(options: { directory: string; keys: ServerKeys; files: SpoolFiles }): InFlightFiles {
  const { directory, keys, files } = options;
  const syncDirectory = sharedCalls((path: string) => files.syncDirectory(path));
  const pathOf = (messageId: string) => {
    if (!isMessageFile(messageId)) throw new Error("a message id is a lower-case uuid");
    return join(directory, messageId);
  };
  const nameOf = (messageId: string) => `underway:${messageId}`;
  const makeDirectory = async () => {
    await files.makeDirectory(directory);
    await syncDirectory(dirname(directory));
  };
  let made: Promise<void> | null = null;
  const store = async (messageId: string, chunks: Iterable<{ sealed: Buffer }>) => {
    try {
      await (made ??= makeDirectory());
    } catch (cause) {
      made = null;
      throw new AppError("spool_failed", {}, cause);
    }
    await putFile(files, { directory, path: pathOf(messageId), syncDirectory }, chunks);
  };
  return {
    store: async ({ message, delivery, wire }) => {
      const rows = rowsOf({ message, delivery });
      const head = Buffer.alloc(HEAD_BYTES);
      head.writeUInt32BE(rows.length);
      await store(message.id, sealChunks(keys, nameOf(message.id), [head, rows, wire]));
    },
    keepDamaged: (messageId, bytes) => store(messageId, [{ sealed: bytes }]),
    forget: async (messageId) => await files.remove(pathOf(messageId)),
    list: async () => {
      const names = await files.list(directory);
      for (const name of names) if (name.endsWith(UNFINISHED)) await files.remove(join(directory, name));
      return names.filter(isMessageFile);
    },
    read: async (messageId) => {
      const file = await files.openToRead(pathOf(messageId));
      if (file === null) return null;
      try {
        const bytes = await readChunks(keys, nameOf(messageId), file);
        return bytes === null ? null : parse(bytes);
      } catch (error) {
        // A file that opens but can't be parsed is authentic: another version of the program wrote another format.
        if (error instanceof RangeError) return null;
        throw error;
      } finally {
        await file.close();
      }
    },
  };
}

/** The files, and the aliases of the messages that this process has in them. */
export function withAliases(files: InFlightFiles): { files: InFlightFiles; aliasIds: () => string[] } {
  const aliases = new Map<string, string>();
  const store: InFlightFiles["store"] = async (entry) => {
    const { message, delivery } = entry;
    if (delivery.aliasId !== null) aliases.set(message.id, delivery.aliasId);
    try {
      await files.store(entry);
    } catch (thrown) {
      aliases.delete(message.id);
      throw thrown;
    }
  };
  const forget = async (messageId: string) => {
    aliases.delete(messageId);
    await files.forget(messageId);
  };
  return { files: { ...files, store, forget }, aliasIds: () => [...new Set(aliases.values())] };
}

function parse(bytes: Buffer): InFlightMessage | null {
  const end = HEAD_BYTES + bytes.readUInt32BE(0);
  const rows = parseRows(bytes.subarray(HEAD_BYTES, end));
  return rows === null ? null : { ...rows, wire: bytes.subarray(end) };
}

type Rows = Omit<InFlightMessage, "wire">;

export const rowsOf = ({ message, delivery }: Rows): Buffer => Buffer.from(JSON.stringify({ message, delivery }));

/** @returns `null` if another version of the program wrote the rows in another format */
export function parseRows(bytes: Buffer): Rows | null {
  try {
    return JSON.parse(bytes.toString("utf8"), reviveDate) as Rows;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

const dates = new Set(["createdAt", "notBefore", "receivedAt", "until"]);
const reviveDate = (key: string, value: unknown): unknown =>
  dates.has(key) && typeof value === "string" ? new Date(value) : value;
