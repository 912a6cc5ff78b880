/** JSON lines, or text on a terminal. An allow-list of value forms logs an address or key as `refused`. */
import { traceOf } from "../../core/error-trace.ts";
import type { LogFields, Logger } from "../../runtime/ports.ts";

export interface LogOutput {
  out(line: string): void;
  err(line: string): void;
  pretty: boolean;
}

type Level = "info" | "warn" | "error";

export function createLogger(output: LogOutput = processOutput(), now: () => Date = () => new Date()): Logger {
  const write = (level: Level, event: string, fields: LogFields = {}) => {
    const entry = { time: now().toISOString(), level, event: checkedEvent(event), ...checkedFields(fields) };
    const line = output.pretty ? prettyLine(entry) : JSON.stringify(entry);
    if (level === "info") output.out(`${line}\n`);
    else output.err(`${line}\n`);
  };
  return {
    info: (event, fields) => write("info", event, fields),
    warn: (event, fields) => write("warn", event, fields),
    error: (event, fields) => write("error", event, fields),
  };
}

function processOutput(): LogOutput {
  return {
    out: (line) => process.stdout.write(line),
    err: (line) => process.stderr.write(line),
    pretty: process.stdout.isTTY === true,
  };
}

const count = (value: unknown) => typeof value === "number" && Number.isFinite(value);
const text = (form: RegExp) => (value: unknown) => typeof value === "string" && form.test(value);

const forms: Readonly<Record<keyof LogFields, (value: unknown) => boolean>> = {
  id: text(/^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{1,19})$/),
  code: text(/^[A-Za-z0-9_.]{1,64}$/),
  status: count,
  count,
  bytes: count,
  durationMs: count,
  port: count,
  service: text(/^[a-z][a-z-]{0,30}$/),
  route: text(/^\/(?:[a-z0-9_-]{1,40}|:[A-Za-z]{1,40}|\*)?(?:\/(?:[a-z0-9_.-]{1,40}|:[A-Za-z]{1,40}|\*))*$/),
  method: text(/^[A-Z]{3,7}$/),
  incident: text(/^[A-Za-z0-9-]{6,64}$/),
  stack: text(
    /^[A-Za-z]\w{0,60}(?: < [A-Za-z]\w{0,60})*(?:\n {2}(?:[\w$.<>#]{1,80} )?(?:apps|packages)\/[\w./-]+\.ts:\d+:\d+)*$/,
  ),
};

function checkedFields(fields: LogFields): Record<string, unknown> {
  const checked: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined || !Object.hasOwn(forms, name)) continue;
    checked[name] = forms[name as keyof LogFields](value) ? value : "refused";
  }
  return checked;
}

function checkedEvent(event: string): string {
  return /^[a-z][a-z0-9_]{1,60}$/.test(event) ? event : "refused";
}

function prettyLine(entry: Record<string, unknown>): string {
  const { time, level, event, ...fields } = entry;
  const mark = level === "info" ? " " : level === "warn" ? "!" : "x";
  const rest = Object.entries(fields).map(([name, value]) => `${name}=${String(value)}`);
  return [`${String(time).slice(11, 19)} ${mark} ${String(event)}`, ...rest].join("  ");
}

const EXIT_UNCAUGHT = 70;

/** Node would print the error's message. After an uncaught exception the state is unknown, so the process exits. */
export function logUncaughtErrors(logger: Logger): void {
  process.on("unhandledRejection", (reason) => logger.error("rejection_unhandled", traceOf(reason)));
  process.on("uncaughtException", (thrown) => {
    logger.error("exception_uncaught", traceOf(thrown));
    process.exit(EXIT_UNCAUGHT);
  });
}
