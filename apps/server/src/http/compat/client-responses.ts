/** Adapts responses to other services' clients: their form of errors, and notes cut to our maximum length. */

import {
  cleanDisplayName,
  displayNameMessages,
  displayNameProblem,
  errorCodes,
  limits,
  type ProblemBody,
} from "@kauke/contract";
import type { FastifyInstance } from "fastify";
import { cutText } from "../../core/alias/alias-rules.ts";
import { fieldError } from "../../core/app-error.ts";

export interface DialectProblem {
  status: number;
  body: object;
}

/** Rewrites finished error responses of this Fastify scope, after `response/problem.ts` translated and logged them. */
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

/** Cuts a note: the clients allow longer ones and do not recover from a refusal. @returns `null` if nothing is left */
export function cutNote(text: string | null): string | null {
  const clean = (text ?? "").replaceAll("\u0000", "").trim();
  return cutText(clean.toWellFormed(), limits.notesMax) || null;
}

/** @returns `null` to remove the name @throws AppError `invalid` */
export function readDisplayName(text: string | null): string | null {
  const isLong = text !== null && text.length > limits.displayNameMaxBytes;
  const name = isLong ? "" : cleanDisplayName(text ?? "");
  const message = isLong ? displayNameMessages.length : displayNameProblem(name);
  if (message !== null) throw fieldError("displayName", message);
  return name || null;
}
