/** One process of a group: the whole server, until it is told to stop or the process that started it is gone. */

import { once } from "node:events";
import { type RunningServer, type StartOverrides, start } from "../app.ts";
import type { ControlResponse } from "../cli/control/control-protocol.ts";
import { runRequest } from "../cli/control/control-socket.ts";
import { limitNames } from "../limits/named-limits.ts";
import type { Logger } from "../runtime/ports.ts";
import type { Config } from "../settings/config.ts";
import { readEnvironment } from "../settings/env.ts";
import { readConfig } from "../settings/read-config.ts";
import type { FromMember, GroupRequest, ListenPorts, ToMember } from "./member-process.ts";

/** Milliseconds after which the process exits unfinished, before the process that started it kills it. */
const CLOSE_LIMIT_MS = 3750;

/** @throws what `start` of app.ts throws */
export async function runMember(logger: Logger, overrides: StartOverrides): Promise<void> {
  // Ctrl-C signals the whole process group, but only the process that started this one decides when it ends.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
  // Until the server runs there is nothing to finish. A listener that is left keeps a process alive that can't start.
  const leave = () => process.exit(1);
  process.once("disconnect", leave);
  const running = await startAs(logger, overrides).finally(() => process.off("disconnect", leave));
  process.once("disconnect", () => void end(running, logger));
  if (!process.connected) return await end(running, logger);
  process.on("message", (message: ToMember) => {
    if (message.kind === "stop") void end(running, logger);
    else if (message.kind === "request") void respond(message, running, logger);
  });
  send({ kind: "ready", ports: running.ports });
}

async function startAs(logger: Logger, overrides: StartOverrides): Promise<RunningServer> {
  const [{ member, ports }] = (await once(process, "message")) as [Extract<ToMember, { kind: "start" }>];
  const { config } = readConfig(readEnvironment(process.cwd()), process.cwd(), limitNames);
  return await start(onPorts(config, ports), logger, { ...overrides, member });
}

async function end(running: RunningServer, logger: Logger): Promise<void> {
  const limit = setTimeout(() => process.exit(1), CLOSE_LIMIT_MS);
  await running.close();
  clearTimeout(limit);
  logger.info("closed");
  process.exit(0);
}

async function respond(
  { id, request }: Extract<ToMember, { kind: "request" }>,
  running: RunningServer,
  logger: Logger,
): Promise<void> {
  send({ kind: "response", id, response: await responseTo(request, running, logger) });
}

async function responseTo(request: GroupRequest, running: RunningServer, logger: Logger): Promise<ControlResponse> {
  if (request.call === "ping") return { ok: true, value: null };
  if (request.call === "metrics") return { ok: true, value: running.metrics.render() };
  return await runRequest(request, running.control, logger);
}

// The callback takes the error of a channel whose other end has just gone.
const send = (message: FromMember) => void process.send?.(message, undefined, undefined, () => {});

/** @param ports ports that replace those of the settings, unless `null` */
function onPorts(config: Config, ports: ListenPorts | null): Config {
  if (ports === null) return config;
  const at = (name: Exclude<keyof ListenPorts, "https" | "pop3s">) => ({
    ...config[name],
    port: ports[name] ?? config[name].port,
  });
  const https = config.https === null ? null : { ...config.https, port: ports.https ?? config.https.port };
  const pop3s = config.pop3s === null ? null : { ...config.pop3s, port: ports.pop3s ?? config.pop3s.port };
  return {
    ...config,
    https,
    pop3s,
    http: at("http"),
    mx: at("mx"),
    submission: at("submission"),
    submissions: at("submissions"),
  };
}
