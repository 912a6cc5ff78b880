/**
 * Access to the data for the operator's command: through the running server or, when none runs, by opening the store.
 * The embedded database has one owner at a time, so a server that runs but does not respond is an error.
 */
import { statSync } from "node:fs";
import { forwardingOf, providerViewOf } from "../../app-forwarding.ts";
import { createResolver } from "../../mail/dns/resolver.ts";
import { type Logger, systemClock, systemRandom } from "../../runtime/ports.ts";
import type { Config } from "../../settings/config.ts";
import { openStore } from "../../store/open-store.ts";
import { StoreStartError } from "../../store/start-error.ts";
import { audited } from "./audited.ts";
import { type ControlError, controlClient, isListening } from "./control-client.ts";
import { type ControlHandlers, controlPath, OperatorError } from "./control-protocol.ts";
import { controlHandlers, type ServerView } from "./server-facts.ts";

export interface OperatorAccess extends ControlHandlers {
  isRunning: boolean;
  close(): Promise<void>;
}

const silent: Logger = { info: () => {}, warn: () => {}, error: () => {} };

/** @throws OperatorError, StoreStartError */
export async function openAccess(config: Config): Promise<OperatorAccess> {
  const path = controlPath(config.dataDir);
  if (path !== null && (await isListening(path))) {
    return { ...controlClient(path), isRunning: true, close: async () => {} };
  }
  if (config.databaseUrl === null) refuseForeignDirectory(config.dataDir);
  const hasProvider = config.forwarding.kind !== "engine";
  const options = { ...config, dkimDomains: config.domains, hasProvider, logger: silent };
  const store = await openStore(options).catch(explainLock);
  const common = { config, store, clock: systemClock, random: systemRandom };
  const view = { ...common, resolver: null, issuer: null, ports: {}, provider: providerOf(common) };
  return {
    ...audited(controlHandlers(view), "command", (act) => store.operator.recordAct(act)),
    isRunning: false,
    close: () => store.close(),
  };
}

function providerOf(common: Pick<ServerView, "config" | "store" | "clock" | "random">) {
  const { config } = common;
  const forwarding = forwardingOf(config, { resolver: createResolver({ servers: config.dnsServers }) });
  return providerViewOf({ ...common, forwarding, logger: silent, isConfirmationNeeded: config.limits !== "off" });
}

/** The server could not read files that this process, e.g. as root, writes into another user's directory. */
export function refuseForeignDirectory(dataDir: string): void {
  const owner = statSync(dataDir, { throwIfNoEntry: false })?.uid;
  if (owner === undefined || process.getuid === undefined || owner === process.getuid()) return;
  throw new OperatorError(
    "The data directory belongs to another user and no server runs. Run this command as that user.",
  );
}

export function explainLock(thrown: unknown): never {
  if (!(thrown instanceof StoreStartError) || thrown.reason !== "locked") throw thrown;
  throw new OperatorError(
    "A Kauke process is using the data directory, but its socket kauke.sock does not answer. If it is starting or shutting down, run this command again; otherwise restart it.",
    { cause: thrown },
  );
}

const sentences: Record<ControlError["reason"], string> = {
  nobody: "The server has stopped meanwhile. Run this command again.",
  not_allowed: "This user may not connect to the running server. Run this command as the server's user, or as root.",
  no_response:
    "The running server did not answer. Run this command again; if that does not help, check the server's log.",
  refused: "The running server could not answer. Its log says why (control_failed).",
};

export function sentenceOf(error: ControlError): string {
  return sentences[error.reason];
}
