/**
 * Parses request bodies of clients made for other services. Their content types cannot be relied on: some send JSON as
 * text/plain, some without a content type, some announce JSON and send nothing. So only the content counts: a body is
 * empty, or JSON in UTF-8 of at most 64 KiB.
 */
import { limits } from "@kauke/contract";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { AppError } from "../../core/app-error.ts";
import { collectBody } from "../request/collect-body.ts";

const MALFORMED = "The body is not valid JSON.";

/** Replaces the body parsers of this encapsulated Fastify scope; an empty body becomes `undefined`. */
export function readAnyJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (request: FastifyRequest, payload, done) => {
    collectBody({ request, payload, bodyLimit: limits.smallBodyMaxBytes }, (failure, body) => {
      if (failure !== null) return done(failure);
      const text = decode(body);
      if (text === null) return done(new AppError("invalid", { message: MALFORMED }));
      if (text.trim() === "") return done(null, undefined);
      return void parse(request, text, (error, value) => {
        done(error === null ? null : new AppError("invalid", { message: MALFORMED }), value);
      });
    });
  });
}

/**
 * Decodes UTF-8 and drops a byte order mark.
 * @returns `null` for bytes that are not UTF-8
 */
function decode(body: Buffer): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    return null;
  }
}
