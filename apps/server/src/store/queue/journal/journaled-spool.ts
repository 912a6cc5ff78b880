/**
 * Stores bodies and messages in flight in the spool's journal, or as single files if the journal has no room for them.
 */
import type { MessageBodies } from "../../../core/message/message.ts";
import type { InFlightFiles } from "../bodies/in-flight-files.ts";
import type { FileBodies } from "../bodies/message-bodies-files.ts";
import type { SpoolJournal } from "./spool-journal.ts";

export interface InFlightStore extends Pick<InFlightFiles, "keep" | "forget" | "list" | "read"> {
  /** Makes a message in flight in the journal the body of a queued message (`SpoolJournal.enqueue`). */
  enqueue(messageId: string, insertRows: () => Promise<unknown>): Promise<boolean>;
  /** Ids of the messages in flight that are in the journal and not in files. */
  inJournal(): string[];
  setAside(messageId: string): Promise<void>;
}

export function journaledBodies({
  journal,
  files,
  now,
}: {
  journal: SpoolJournal;
  files: FileBodies;
  now(): Date;
}): MessageBodies {
  return {
    put: async (messageId, parts) => {
      const bytes = parts.reduce((sum, part) => sum + part.length, 0);
      if (journal.hasRoomFor(bytes)) await journal.putBody(messageId, parts);
      else await files.put(messageId, parts);
    },
    get: async (messageId) => {
      const found = await journal.readBody(messageId);
      return found === undefined ? await files.get(messageId) : found;
    },
    getStart: async (messageId) => {
      const found = await journal.readBodyStart(messageId);
      return found === undefined ? await files.getStart(messageId) : found;
    },
    delete: async (messageId) => {
      if (!(await journal.remove(messageId, "body"))) await files.delete(messageId);
    },
    sweep: async (isKnown, olderThanMs) => {
      const before = new Date(now().getTime() - olderThanMs);
      return (await journal.sweep(isKnown, before)) + (await files.sweep(isKnown, olderThanMs));
    },
  };
}

export function journaledInFlight({ journal, files }: { journal: SpoolJournal; files: InFlightFiles }): InFlightStore {
  return {
    keep: async (message) => {
      if (journal.hasRoomFor(message.wire.length)) await journal.putInFlight(message);
      else await files.keep(message);
    },
    forget: async (messageId) => {
      if (!(await journal.remove(messageId, "inFlight"))) await files.forget(messageId);
    },
    list: () => files.list(),
    read: async (messageId) =>
      journal.has(messageId, "inFlight") ? await journal.readInFlight(messageId) : await files.read(messageId),
    enqueue: (messageId, insertRows) => journal.enqueue(messageId, insertRows),
    inJournal: () => journal.inFlight(),
    setAside: (messageId) => journal.setAside(messageId),
  };
}
