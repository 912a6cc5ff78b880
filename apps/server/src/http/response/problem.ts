/** Translates error codes to HTTP. An unexpected error becomes an incident id; its message never leaves the process. */

import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import {
  accountDomainMessages,
  type ErrorCode,
  emailJobMessages,
  mailboxMessages,
  type ProblemBody,
  registrationMessages,
  signInMessages,
} from "@kauke/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError, asAppError } from "../../core/app-error.ts";
import { traceOf } from "../../core/error-trace.ts";
import type { Clock, Logger, Random } from "../../runtime/ports.ts";

export interface Problem {
  status: number;
  body: ProblemBody;
  retryAfterSeconds: number | null;
}

interface Translation {
  status: number;
  message: string;
}

const say = (status: number, message: string): Translation => ({ status, message });

const translations: Record<ErrorCode, Translation> = {
  invalid: say(400, "The request is not valid."),
  not_json: say(415, "Please send the body as application/json."),
  too_large: say(413, "The request is too large."),
  not_signed_in: say(401, "Please sign in first."),
  cross_site: say(403, "The request came from another site."),
  forbidden: say(403, "This belongs to another account."),
  not_found: say(404, "Not found"),
  rate_limited: say(429, "Too many requests. Please wait before you try again."),
  busy: say(429, "The server is busy. Please try again in a moment."),
  unavailable: say(503, "The service is not available now. Please try again later."),
  internal: say(500, "Something went wrong on our side."),
  email_taken: say(409, "An account with this e-mail already exists. Please sign in instead."),
  registration_closed: say(403, registrationMessages.closed),
  invite_required: say(403, registrationMessages.invite),
  credentials_wrong: say(401, "Invalid email or password"),
  sign_in_by_link: say(429, signInMessages.byLink),
  proof_needed: say(403, "Please sign in again first: this needs a sign-in within the last five minutes."),
  last_way_in: say(409, "Nothing else signs in to your account. Set a password or link another sign-in first."),
  way_in_taken: say(409, "This signs in to another account, so it can't be linked to this one."),
  key_invalid: say(401, "This API key is unknown, revoked or expired."),
  key_scope: say(403, "This API key does not have the scope for this."),
  wallet_unproven: say(401, "Wallet authentication failed"),
  alias_taken: say(409, "This alias is already taken. Please choose another name."),
  alias_reserved: say(400, "This name is reserved."),
  alias_released: say(
    409,
    "This address was in use until recently and can't be taken yet. Please choose another name.",
  ),
  alias_changed: say(409, "This alias was changed in the meantime."),
  no_free_name: say(409, "No free name was found in 20 tries. Please try again, or choose another format."),
  no_mailbox: say(403, mailboxMessages.noneConfirmed),
  mailbox_needed: say(409, "An alias would have no destination left."),
  domain_exists: say(409, accountDomainMessages.exists),
  domain_taken: say(409, accountDomainMessages.taken),
  domain_in_use: say(409, accountDomainMessages.inUse),
  smtp_credential_exists: say(409, "This alias has SMTP credentials already."),
  master_password_wrong: say(400, "Incorrect master password."),
  key_not_protected: say(
    422,
    "This key does not support master password protection. Create a new key in Settings, or decrypt with the private key itself.",
  ),
  key_in_use: say(409, "Forwarded mail is encrypted to this key. Choose another one in Settings first."),
  no_matching_key: say(400, "This message was not encrypted for this key."),
  age_damaged: say(400, "The encrypted text is damaged or is not an AGE message."),
  private_key_invalid: say(400, "The private key is not valid."),
  not_text: say(400, "Decrypted, but the content is not text."),
  message_too_large: say(413, "The message is too large."),
  spool_failed: say(503, "The message could not be stored safely. Please try again later."),
  too_late: say(409, "It is too late for this."),
  job_id_taken: say(409, emailJobMessages.jobIdTaken),
  not_possible: say(409, "This is not possible at the moment."),
  spool_quota: say(409, "Too much undelivered mail is waiting. Please try again later."),
};

/** @param now `Retry-After` is counted from it @returns `null` for an unexpected error */
export function toProblem(thrown: unknown, now: Date): Problem | null {
  const expected = asAppError(thrown);
  if (expected !== null) return fromAppError(expected, now);
  const code = codeOfFrameworkError(thrown);
  return code === null ? null : fromAppError(new AppError(code), now);
}

/** @param incident connects a user's report with the log entry */
export function incidentProblem(incident: string): Problem {
  const message = `Something went wrong on our side. Please try again; if it happens again, tell us incident ${incident}.`;
  return { status: 500, body: { message, code: "internal" }, retryAfterSeconds: null };
}

function fromAppError(error: AppError, now: Date): Problem {
  const { status, message } = translations[error.code];
  const body: ProblemBody = { message: error.details.message ?? message, code: error.code };
  if (error.details.errors !== undefined) body.errors = error.details.errors;
  if (error.details.places !== undefined) body.places = error.details.places;
  if (error.details.challenge !== undefined) body.challenge = error.details.challenge;
  if (status !== 429) return { status, body, retryAfterSeconds: null };
  const resetAt = error.details.resetAt ?? new Date(now.getTime() + 2000);
  const retryAfterSeconds = Math.max(1, Math.ceil((resetAt.getTime() - now.getTime()) / 1000));
  return { status, body: { ...body, rateLimited: true, resetTime: resetAt.toISOString() }, retryAfterSeconds };
}

const codeOfStatus = new Map<number, ErrorCode>([
  [403, "not_found"],
  [404, "not_found"],
  [413, "too_large"],
  [415, "not_json"],
]);

/** Fastify marks client errors by a 4xx `statusCode`; nothing else of its error is used. */
function codeOfFrameworkError(thrown: unknown): ErrorCode | null {
  if (!(thrown instanceof Error) || !("statusCode" in thrown) || typeof thrown.statusCode !== "number") return null;
  if (thrown.statusCode < 400 || thrown.statusCode > 499) return null;
  return codeOfStatus.get(thrown.statusCode) ?? "invalid";
}

export type ErrorResponder = (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

export interface ErrorResponderDeps {
  clock: Clock;
  random: Random;
  logger: Logger;
  /** The database cannot serve at the moment, so the response is a 503. */
  isOutage: (thrown: unknown) => boolean;
}

export function errorResponder(deps: ErrorResponderDeps): ErrorResponder {
  return (thrown, request, reply) => {
    const now = deps.clock.now();
    const problem =
      toProblem(thrown, now) ?? toProblem(outage(thrown, request), now) ?? incidentProblem(report(thrown, request));
    if (problem.retryAfterSeconds !== null) reply.header("retry-after", problem.retryAfterSeconds);
    // Fastify would close the connection of a client that still writes its body, before it reads the response.
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
    deps.logger.error("http_unexpected", { incident, route, method: request.method, stack: traceOf(thrown).stack });
    return incident;
  }
}

/** Responds to what Node could not parse: a header too large or too slow, or not HTTP. */
export function respondToBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
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
