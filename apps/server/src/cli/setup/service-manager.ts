/** Restarts the server: through systemd with the package's unit, or by asking the operator. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import type { Config } from "../../settings/config.ts";
import { isListening } from "../control/control-client.ts";
import { controlPath } from "../control/control-protocol.ts";
import { type OperatorAccess, openAccess } from "../control/operator-access.ts";
import { checking } from "../doctor/check-result.ts";
import type { ServiceManager } from "./setup-deps.ts";

const run = promisify(execFile);
const START_MS = 120_000;
const LOOK_EVERY_MS = 500;

/** @param config reads the current settings */
export function serviceManager(config: () => Config): ServiceManager {
  const isManaged = existsSync("/run/systemd/system") && existsSync("/usr/lib/systemd/system/kauke.service");
  return {
    ensure: isManaged ? ensureUnit : (change) => ensureByHand(config(), change),
    access: () => opened(config()),
  };
}

async function ensureUnit({ isChanged }: { isChanged: boolean }) {
  const { ok, fix } = checking("service", "kauke");
  try {
    await run("systemctl", ["enable", "kauke"]);
    await run("systemctl", [isChanged ? "restart" : "start", "kauke"]);
    return ok("It runs, and starts with this machine.");
  } catch {
    return fix("systemd could not start it: `journalctl -u kauke` says why.");
  }
}

async function ensureByHand(config: Config, { isChanged }: { isChanged: boolean }) {
  const { ok, warn, fix } = checking("service", "kauke");
  if (!(await isRunning(config))) return warn("Start the server now, in another terminal; this command waits for it.");
  return isChanged ? fix("Its settings changed: restart the server, then run this command again.") : ok("It runs.");
}

export async function isRunning({ dataDir }: Pick<Config, "dataDir">): Promise<boolean> {
  const path = controlPath(dataDir);
  return path !== null && (await isListening(path));
}

async function opened(config: Config): Promise<OperatorAccess | null> {
  for (const giveUpAt = performance.now() + START_MS; performance.now() < giveUpAt; await pause(LOOK_EVERY_MS))
    if (await isRunning(config)) return await openAccess(config);
  return null;
}
