/**
 * Rewrites error responses to the form that clients made for another service read. Errors are translated and logged
 * where all errors of the server are (`response/answer-errors.ts`); only the finished response is rewritten afterwards.
 */
import { errorCodes, type ProblemBody } from "@kauke/contract";
import type { FastifyInstance } from "fastify";

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
