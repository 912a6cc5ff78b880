/**
 * Reads the bodies of clients of other services, which say little about what they send: some send JSON as text/plain,
 * some without a content type, some announce JSON and send nothing. A body counts by its content alone: empty, or JSON
 * in UTF-8 of at most 64 KiB.
 */
import { limits } from "@kauke/contract";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { AppError } from "../../core/app-error.ts";

const MALFORMED = "The body is not valid JSON.";

/** Replaces the body parsers of this encapsulated scope; an empty body is undefined. */
export function readAnyJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();
  const options = { parseAs: "buffer", bodyLimit: limits.smallBodyMaxBytes } as const;
  app.addContentTypeParser("*", options, (request: FastifyRequest, body: Buffer, done) => {
    const text = decode(body);
    if (text === null) return done(new AppError("invalid", { message: MALFORMED }));
    if (text.trim() === "") return done(null, undefined);
    return void parse(request, text, (error, value) => {
      done(error === null ? null : new AppError("invalid", { message: MALFORMED }), value);
    });
  });
}

/** @returns null for bytes that are not UTF-8; a byte order mark is dropped */
function decode(body: Buffer): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    return null;
  }
}
