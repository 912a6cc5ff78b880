/**
 * Opens the spool beside the embedded database: its journal, and files for the messages that are not in the journal.
 */
import { join } from "node:path";
import type { MessageBodies } from "../../../core/message/message.ts";
import type { Clock, Logger } from "../../../core/ports.ts";
import type { KeyRing } from "../../sealing/server-keys.ts";
import { inFlightFiles } from "../bodies/in-flight-files.ts";
import { JOURNAL_FOLDER, messageBodiesInFiles } from "../bodies/message-bodies-files.ts";
import type { SpoolFiles } from "../bodies/spool-files.ts";
import { type InFlightStore, journaledBodies, journaledInFlight } from "./journaled-spool.ts";
import { recoverJournal } from "./recover-journal.ts";
import { type JournalLimits, journalLimits, SpoolJournal } from "./spool-journal.ts";

export interface SpoolOptions {
  dataDir: string;
  keys: KeyRing;
  clock: Clock;
  files: SpoolFiles;
  limits: JournalLimits | undefined;
  /** Name of the directory in the journal that this process alone writes to; default `main`. */
  writer?: string;
  logger: Logger | undefined;
}

export interface Spool {
  bodies: MessageBodies;
  inFlight: InFlightStore;
  close(): Promise<void>;
}

export async function openSpool(options: SpoolOptions): Promise<Spool> {
  const { dataDir, keys, clock, files, limits = journalLimits, writer = "main", logger } = options;
  const now = () => clock.now();
  const directory = join(dataDir, "spool");
  const bodies = messageBodiesInFiles({ directory, keys, files, now });
  const inFlight = inFlightFiles({ directory: join(dataDir, "underway"), keys, files });
  const root = join(directory, JOURNAL_FOLDER);
  const recovered = await recoverJournal({ root, writer, files, now, logger });
  const parts = { files, keys, bodies, inFlight, recovered, limits, now, logger };
  const journal = new SpoolJournal({ ...parts, directory: join(root, writer) });
  return {
    bodies: journaledBodies({ journal, files: bodies, now }),
    inFlight: journaledInFlight({ journal, files: inFlight }),
    close: () => journal.close(),
  };
}
