/**
 * Reads the settings, starts the server in this process or in a group of processes, prints its addresses, and shuts
 * down gracefully when told to stop.
 */

import { once } from "node:events";
import { product } from "@kauke/contract";
import { type StartOverrides, start } from "./app.ts";
import { traceOf } from "./core/error-trace.ts";
import { limitNames } from "./limits/named-limits.ts";
import { createLogger, logUncaughtErrors } from "./platform/telemetry/logger.ts";
import { runMember } from "./processes/member.ts";
import { type ListenPorts, MEMBER_ARGUMENT } from "./processes/member-process.ts";
import { ProcessGroup } from "./processes/process-group.ts";
import type { Logger } from "./runtime/ports.ts";
import type { Config } from "./settings/config.ts";
import { SettingsError } from "./settings/env.ts";
import { isOpenToStrangers } from "./settings/open-registration.ts";
import { readConfigOrExit } from "./settings/read-config.ts";
import { StoreStartError } from "./store/start-error.ts";

/**
 * Milliseconds after which the process exits even if the start or the shutdown has not finished. The spool is safe on
 * disk either way.
 */
const CLOSE_LIMIT_MS = 4500;

export interface ServeOverrides extends StartOverrides {
  /** For a start that a slow machine does not finish within the usual limit. */
  closeLimitMs?: number;
}

const HIDDEN_PREVIEW = "not shown: KAUKE_PUBLIC_URL is not an address of this machine. Outgoing mail is not delivered.";

/**
 * Runs the server until it is told to stop. A failure to start is printed, and ends the process with code 1.
 * @param stop its abort, even one during the start, ends the process
 * @param overrides replacements for tests
 */
export async function serve(stop: AbortSignal, overrides: ServeOverrides = {}): Promise<void> {
  try {
    await run(stop, overrides);
  } catch (thrown) {
    printFailure(thrown);
    process.exitCode = 1;
  }
}

const OPEN_REGISTRATION =
  "Everybody who reaches this server can register. KAUKE_REGISTRATION=invite admits only people whom you invite (`npx kauke users invite`), closed nobody.";

interface Running {
  ports: ListenPorts;
  previewToken: string | null;
  close(): Promise<void>;
}

async function run(stop: AbortSignal, overrides: ServeOverrides): Promise<void> {
  const logger = createLogger();
  logUncaughtErrors(logger);
  if (process.argv.includes(MEMBER_ARGUMENT)) return await runMember(logger, overrides);
  if (stop.aborted) return;
  const closeLimitMs = overrides.closeLimitMs ?? CLOSE_LIMIT_MS;
  stop.addEventListener("abort", () => setTimeout(() => process.exit(1), closeLimitMs));
  const config = readConfigOrExit(process.cwd(), limitNames);
  const running = config.workers > 1 ? await startGroup(config, logger) : await start(config, logger, overrides);
  if (!stop.aborted) {
    announce(config, running, logger);
    await once(stop, "abort");
  }
  await running.close();
  logger.info("closed");
  process.exit(0);
}

async function startGroup(config: Config, logger: Logger): Promise<Running> {
  const group = await ProcessGroup.start({ config, logger, program: process.argv[1] ?? "" });
  return { ports: group.ports, previewToken: null, close: () => group.close() };
}

function announce(config: Config, { ports, previewToken }: Running, logger: Logger): void {
  for (const [service, port] of Object.entries(ports)) if (port !== null) logger.info("listening", { service, port });
  const local = ports.https === null ? `http://localhost:${ports.http}` : `https://localhost:${ports.https}`;
  const web = config.publicUrlGiven ? config.publicUrl.origin : local;
  const lines = [`${product.name} ${product.version} is running. Ctrl-C stops it.`];
  if (ports.http !== null) lines.push(`  Web app        ${web}`);
  if (previewToken !== null) lines.push(`  Preview inbox  ${web}/preview?token=${previewToken}`);
  else if (ports.http !== null && config.delivery.kind === "preview") lines.push(`  Preview inbox  ${HIDDEN_PREVIEW}`);
  if (ports.mx !== null) lines.push(`  Mail in (SMTP) ${config.mx.host}:${ports.mx}`);
  if (ports.submission !== null) {
    lines.push(`  Submission     ${config.submission.host}:${ports.submission} (STARTTLS), ${ports.submissions} (TLS)`);
  }
  if (ports.pop3s !== null) lines.push(`  POP3 (empty)   ${config.submission.host}:${ports.pop3s} (TLS)`);
  if (config.forwarding.kind !== "engine")
    lines.push(`  Forwarding     by the provider at ${config.forwarding.url.host}`);
  if (isOpenToStrangers(config)) process.stderr.write(`${OPEN_REGISTRATION}\n`);
  process.stdout.write(`\n${lines.join("\n")}\n\n`);
}

function printFailure(thrown: unknown): void {
  if (thrown instanceof SettingsError || thrown instanceof StoreStartError) {
    process.stderr.write(`${thrown.message}\n`);
    return;
  }
  createLogger().error("start_failed", traceOf(thrown));
  process.stderr.write("Kauke could not start.\n");
}
