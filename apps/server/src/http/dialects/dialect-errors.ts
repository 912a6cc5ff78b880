/**
 * Writes the errors of a dialect's routes in the shape that its clients read. They are translated and logged where all
 * errors of the server are (`response/answer-errors.ts`); here only the finished answer changes its shape.
 */
import { errorCodes, type ProblemBody } from "@kauke/contract";
import type { FastifyInstance } from "fastify";

/** An error as a dialect writes it. */
export interface DialectProblem {
  status: number;
  body: object;
}

/** @param shape converts an answer of ours, which is complete and safe to send, to the dialect's */
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
