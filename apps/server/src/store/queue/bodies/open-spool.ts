/** Opens the spool beside the embedded database: sealed files, one for each body and each message in flight. */
import { join } from "node:path";
import type { Clock, Logger } from "../../../runtime/ports.ts";
import type { ServerKeys } from "../../sealing/server-keys.ts";
import { moveFormerJournal } from "./former-journal.ts";
import { type InFlightFiles, inFlightFiles } from "./in-flight-files.ts";
import { type FileBodies, messageBodiesInFiles } from "./message-bodies-files.ts";
import type { SpoolFiles } from "./spool-files.ts";

export interface SpoolOptions {
  dataDir: string;
  keys: ServerKeys;
  clock: Clock;
  files: SpoolFiles;
  logger: Logger | undefined;
}

export async function openSpool({
  dataDir,
  keys,
  clock,
  files,
  logger,
}: SpoolOptions): Promise<{ bodies: FileBodies; inFlight: InFlightFiles }> {
  const directory = join(dataDir, "spool");
  const bodies = messageBodiesInFiles({ directory, keys, files, now: () => clock.now() });
  const inFlight = inFlightFiles({ directory: join(dataDir, "underway"), keys, files });
  await moveFormerJournal({ directory, keys, bodies, inFlight, logger });
  return { bodies, inFlight };
}
