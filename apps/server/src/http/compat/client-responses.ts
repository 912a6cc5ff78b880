/**
 * Rewrites error responses to the form that clients made for another service read. Errors are translated and logged
 * where all errors of the server are (`response/answer-errors.ts`); only the finished response is rewritten afterwards.
 */

import { errorCodes, limits, type ProblemBody } from "@kauke/contract";
import type { FastifyInstance } from "fastify";
import { cutText } from "../../core/alias/alias-rules.ts";

/** An error response in the form of another service's API. */
export interface DialectProblem {
  status: number;
  body: object;
}

/**
 * Rewrites the error responses of all routes in this Fastify scope.
 * @param shape converts a response of Kauke, which is complete and safe to send, to the other service's form
 */
export function shapeErrors(
  app: FastifyInstance,
  shape: (problem: ProblemBody, status: number) => DialectProblem,
): void {
  app.addHook("preSerialization", async (_, reply, payload) => {
    if (reply.statusCode < 400 || !isProblem(payload)) return payload;
    const { status, body } = shape(payload, reply.statusCode);
    reply.code(status);
    return body;
  });
}

const codes: ReadonlySet<unknown> = new Set(errorCodes);

function isProblem(payload: unknown): payload is ProblemBody {
  return typeof payload === "object" && payload !== null && "code" in payload && codes.has(payload.code);
}

/**
 * Shortens a note to the maximum length that Kauke stores, without splitting a character, and removes NUL characters.
 * @returns `null` if nothing is left
 */
export function cutNote(text: string | null): string | null {
  const clean = (text ?? "").replaceAll("\u0000", "").trim();
  return cutText(clean.toWellFormed(), limits.notesMax) || null;
}
