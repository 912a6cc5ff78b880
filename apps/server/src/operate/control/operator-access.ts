/**
 * How the operator's command reaches the data: through the running server, or, when none runs, by opening the store itself.
 * The embedded database has one owner at a time, so a server that can't be asked is never worked around.
 */
import { statSync } from "node:fs";
import type { Config } from "../../config.ts";
import type { Logger } from "../../core/ports.ts";
import { openStore } from "../../store/open-store.ts";
import { StoreStartError } from "../../store/start-error.ts";
import { type ControlError, controlClient, isAnswered } from "./control-client.ts";
import { type ControlHandlers, controlPath } from "./control-protocol.ts";
import { OperatorError } from "./operator-error.ts";
import { controlHandlers } from "./server-facts.ts";

export interface OperatorAccess extends ControlHandlers {
  isRunning: boolean;
  close(): Promise<void>;
}

const silent: Logger = { info: () => {}, warn: () => {}, error: () => {} };

/** @throws OperatorError, StoreStartError */
export async function openAccess(config: Config): Promise<OperatorAccess> {
  const path = controlPath(config.dataDir);
  if (path !== null && (await isAnswered(path))) {
    return { ...controlClient(path), isRunning: true, close: async () => {} };
  }
  if (config.databaseUrl === null) refuseForeignDirectory(config.dataDir);
  const store = await openStore({ ...config, dkimDomains: config.domains, logger: silent }).catch(explainLock);
  return { ...controlHandlers({ config, store, ports: {} }), isRunning: false, close: () => store.close() };
}

/** What root writes into the server's directory the server could not read afterwards. */
function refuseForeignDirectory(dataDir: string): void {
  const owner = statSync(dataDir, { throwIfNoEntry: false })?.uid;
  if (owner === undefined || process.getuid === undefined || owner === process.getuid()) return;
  throw new OperatorError(
    "The data directory belongs to another user and no server runs. Run this command as that user.",
  );
}

export function explainLock(thrown: unknown): never {
  if (!(thrown instanceof StoreStartError) || thrown.reason !== "locked") throw thrown;
  throw new OperatorError(
    "A Kauke process is using the data directory, but its socket kauke.sock does not answer. If it is just starting or closing, run this command again; else restart it.",
    { cause: thrown },
  );
}

const sentences: Record<ControlError["reason"], string> = {
  nobody: "The running server has gone meanwhile. Run this command again.",
  not_allowed: "This user may not speak to the running server. Run this command as the user it runs as, or as root.",
  no_answer: "The running server did not answer. Run this command again; if that does not help, look at its log.",
  refused: "The running server could not answer. Its log says why (control_failed).",
};

export function sentenceOf(error: ControlError): string {
  return sentences[error.reason];
}
