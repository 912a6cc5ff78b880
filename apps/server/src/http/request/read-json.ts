/**
 * Reads a JSON body. Any other kind is refused (415); an empty one is none. UTF-8 is required, and keys that reach for an
 * object's prototype are refused by the framework's own parser.
 */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { AppError } from "../../core/app-error.ts";

const MALFORMED = "The body is not valid JSON.";

export function readOnlyJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request: FastifyRequest, body: Buffer, done) => {
    if (body.length === 0) return done(null, undefined);
    const text = decode(body);
    if (text === null) return done(new AppError("invalid", { message: MALFORMED }));
    return void parse(request, text, (error, value) => {
      done(error === null ? null : new AppError("invalid", { message: MALFORMED }), value);
    });
  });
}

function decode(body: Buffer): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    return null;
  }
}
