/**
 * The server as a program: reads the settings, starts the chosen services, prints where they are, closes cleanly on SIGINT, SIGTERM
 * and SIGHUP.
 */
import { setFlagsFromString } from "node:v8";
import { product } from "@kauke/contract";
import type { Config } from "./config.ts";
import { readConfigOrExit } from "./config-read.ts";
import type { Logger } from "./core/ports.ts";
import { traceOf } from "./operate/telemetry/error-trace.ts";
import { createLogger } from "./operate/telemetry/logger.ts";
import { logUnforeseenErrors } from "./operate/telemetry/unforeseen-errors.ts";
import { SettingsError } from "./settings-error.ts";
import { type RunningServer, type StartOverrides, startServer } from "./start-server.ts";
import { StoreStartError } from "./store/start-error.ts";

/** A close that hangs is worse than one that is cut: the spool is safe on disk either way. */
const closeLimitMs = 4500;

// Message bytes live outside the heap. Counted by themselves they start a collection of all of it every few dozen messages of
// a MiB; counted with the heap, in step with its size (docs/decisions/2026-11-21-native-body-hash.md).
setFlagsFromString("--external-memory-accounted-in-global-limit");
setFlagsFromString("--external-memory-max-growing-factor=1.1");

const HIDDEN_PREVIEW =
  "not shown: KAUKE_PUBLIC_URL is not an address of this machine. Mail to the outside goes nowhere.";

/** @param overrides what tests replace; a start that fails is printed, and ends the process with code 1 */
export async function serve(overrides: StartOverrides = {}): Promise<void> {
  try {
    await start(overrides);
  } catch (thrown) {
    tellFailure(thrown);
    process.exitCode = 1;
  }
}

async function start(overrides: StartOverrides): Promise<void> {
  const config = readConfigOrExit(process.cwd());
  const logger = createLogger();
  logUnforeseenErrors(logger);
  const running = await startServer(config, logger, overrides);
  announce(config, running, logger);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => void close(running, logger));
  }
}

async function close(running: RunningServer, logger: Logger): Promise<void> {
  const limit = setTimeout(() => process.exit(1), closeLimitMs);
  await running.close();
  clearTimeout(limit);
  logger.info("closed");
  process.exit(0);
}

function announce(config: Config, { ports, previewToken }: RunningServer, logger: Logger): void {
  for (const [service, port] of Object.entries(ports)) if (port !== null) logger.info("listening", { service, port });
  const web = config.publicUrlGiven ? config.publicUrl.origin : `http://localhost:${ports.http}`;
  const lines = [`${product.name} ${product.version} is running. Ctrl-C stops it.`];
  if (ports.http !== null) lines.push(`  Web app        ${web}`);
  if (previewToken !== null) lines.push(`  Preview inbox  ${web}/preview?token=${previewToken}`);
  else if (ports.http !== null && config.delivery.kind === "preview") lines.push(`  Preview inbox  ${HIDDEN_PREVIEW}`);
  if (ports.mx !== null) lines.push(`  Mail in (SMTP) ${config.mx.host}:${ports.mx}`);
  if (ports.submission !== null) {
    lines.push(`  Submission     ${config.submission.host}:${ports.submission} (STARTTLS), ${ports.submissions} (TLS)`);
  }
  process.stdout.write(`\n${lines.join("\n")}\n\n`);
}

function tellFailure(thrown: unknown): void {
  if (thrown instanceof SettingsError || thrown instanceof StoreStartError) {
    process.stderr.write(`${thrown.message}\n`);
    return;
  }
  createLogger().error("start_failed", traceOf(thrown));
  process.stderr.write(`${startFailure(thrown)}\n`);
}

/** What an operator can act on; anything else is in the log by class and place. */
function startFailure(thrown: unknown): string {
  const { code, port } = Object(thrown) as { code?: unknown; port?: unknown };
  if (code === "EADDRINUSE") return `Port ${String(port)} is taken by another program. Free it or set another port.`;
  if (code === "EACCES") return `This user may not use port ${String(port)}.`;
  return "Kauke could not start.";
}
