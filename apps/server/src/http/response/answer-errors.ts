/** Converts every error of a request to a JSON error response. */
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../../core/app-error.ts";
import type { Clock, Logger, Random } from "../../runtime/ports.ts";
import { incidentProblem, toProblem } from "./problem.ts";

export type ErrorAnswerer = (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

export interface ErrorAnswererDeps {
  clock: Clock;
  random: Random;
  logger: Logger;
  /** Whether an error means that the database cannot serve at the moment, so that the response is a 503. */
  isOutage: (thrown: unknown) => boolean;
}

export function errorAnswerer(deps: ErrorAnswererDeps): ErrorAnswerer {
  return (thrown, request, reply) => {
    const now = deps.clock.now();
    const problem =
      toProblem(thrown, now) ?? toProblem(outage(thrown, request), now) ?? incidentProblem(report(thrown, request));
    if (problem.retryAfterSeconds !== null) reply.header("retry-after", problem.retryAfterSeconds);
    // Fastify closes the connection after a body that it refuses. A client that is still writing would then meet a broken
    // connection instead of the response; the rest of the body is read and dropped, for as long as a request may take.
    reply.removeHeader("connection");
    const body = request.routeOptions.config.hasSuccessField ? { success: false, ...problem.body } : problem.body;
    return reply.code(problem.status).type("application/json; charset=utf-8").send(body);
  };

  function outage(thrown: unknown, { routeOptions: { url: route }, method }: FastifyRequest): AppError | null {
    if (!deps.isOutage(thrown)) return null;
    deps.logger.warn("http_database_outage", { route, method });
    return new AppError("unavailable", {}, thrown);
  }

  function report(thrown: unknown, request: FastifyRequest): string {
    const incident = deps.random.uuid();
    const route = request.routeOptions.url;
    deps.logger.error("http_unexpected", { incident, route, method: request.method, stack: incidentTrace(thrown) });
    return incident;
  }
}

/** Responds to requests that could not be parsed: header too large, too slow, or not HTTP. */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const status = error.code === "HPE_HEADER_OVERFLOW" ? 431 : error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400;
  const body = JSON.stringify({ message: "The request is not valid HTTP.", code: new AppError("invalid").code });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}

/** What is logged of an unexpected error: its class and our own stack frames, never its message. */

const FRAME = /^\s+at (?:async )?(?:([\w$.<>#]{1,80}) )?\S*?((?:apps|packages)\/[\w./-]+\.ts:\d+:\d+)\)?$/;

/**
 * @returns the error's class and at most six stack frames, e.g.
 * `TypeError\n  aliasToWire apps/server/src/http/aliases/wire.ts:12:3`
 */
export function incidentTrace(thrown: unknown): string {
  if (!(thrown instanceof Error)) return typeof thrown;
  const name = /^[A-Za-z]\w{0,60}$/.test(thrown.constructor.name) ? thrown.constructor.name : "Error";
  const frames = linesAfterMessage(thrown).flatMap((line) => {
    const [, where = "", place] = FRAME.exec(line) ?? [];
    return place === undefined ? [] : [`${where} ${place}`.trim()];
  });
  return [name, ...frames.slice(0, 6)].join("\n  ");
}

/**
 * In a stack, the error's message comes before the frames. It may span lines and imitate frames, so it is cut off as a
 * whole.
 */
function linesAfterMessage({ stack = "", message }: Error): string[] {
  const start = stack.indexOf(message);
  return start === -1 ? [] : stack.slice(start + message.length).split("\n");
}
