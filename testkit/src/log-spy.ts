/** A logger that stores its events, for tests that inspect them. */
import type { LogFields, Logger } from "@kauke/server/runtime/ports";

export interface LoggedEvent {
  level: "info" | "warn" | "error";
  event: string;
  fields: LogFields;
}

export interface LogSpy extends Logger {
  events: LoggedEvent[];
}

export function logSpy(): LogSpy {
  const events: LoggedEvent[] = [];
  const keep =
    (level: LoggedEvent["level"]) =>
    (event: string, fields: LogFields = {}) =>
      void events.push({ level, event, fields });
  return { events, info: keep("info"), warn: keep("warn"), error: keep("error") };
}
