/**
 * In-flight messages beside the embedded database: `underway/<message id>` holds the message's row, its delivery and
 * its bytes, sealed in chunks. A file found at start belongs to an attempt that was interrupted when the previous
 * process ended.
 */
import { dirname, join } from "node:path";
import { AppError } from "../../../core/app-error.ts";
import type { InFlightMessage, InFlightMessages } from "../../../core/delivery/in-flight.ts";
import { sharedCalls } from "../../concurrency/shared-calls.ts";
import type { ServerKeys } from "../../sealing/server-keys.ts";
import { parseRows, rowsOf } from "./in-flight-rows.ts";
import { putFile, UNFINISHED } from "./put-file.ts";
import { readChunks } from "./read-chunks.ts";
import { sealChunks } from "./sealed-chunks.ts";
import type { SpoolFiles } from "./spool-files.ts";

export interface InFlightFiles extends Pick<InFlightMessages, "keep" | "forget"> {
  /** Stores the sealed bytes of a message that can't be opened. Like a damaged file, it is reported at every start. */
  keepDamaged(messageId: string, bytes: Buffer): Promise<void>;
  /** Lists the ids of the stored messages, and removes files that were not completely written. */
  list(): Promise<string[]>;
  /** @returns `null` when the message's file does not exist or is damaged; a damaged file is not removed */
  read(messageId: string): Promise<InFlightMessage | null>;
}

const HEAD_BYTES = 4;
/**
 * File name of an in-flight message: its id. Other files are ignored, e.g. an editor's copy or a directory of the file
 * system.
 */
const MESSAGE_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function inFlightFiles(options: { directory: string; keys: ServerKeys; files: SpoolFiles }): InFlightFiles {
  const { directory, keys, files } = options;
  const syncDirectory = sharedCalls((path: string) => files.syncDirectory(path));
  const pathOf = (messageId: string) => {
    if (!MESSAGE_ID.test(messageId)) throw new Error("a message id is a lower-case uuid");
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
    keep: async ({ message, delivery, wire }) => {
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
      return names.filter((name) => MESSAGE_ID.test(name));
    },
    read: async (messageId) => {
      const file = await files.openToRead(pathOf(messageId));
      if (file === null) return null;
      try {
        const bytes = await readChunks(keys, nameOf(messageId), file);
        return bytes === null ? null : parse(bytes);
      } catch (error) {
        // The file is authentic, since it could be opened, so another version of the program wrote its content in
        // another format.
        if (error instanceof RangeError) return null;
        throw error;
      } finally {
        await file.close();
      }
    },
  };
}

function parse(bytes: Buffer): InFlightMessage | null {
  const end = HEAD_BYTES + bytes.readUInt32BE(0);
  const rows = parseRows(bytes.subarray(HEAD_BYTES, end));
  return rows === null ? null : { ...rows, wire: bytes.subarray(end) };
}
