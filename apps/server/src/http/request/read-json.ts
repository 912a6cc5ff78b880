/**
 * Parses JSON request bodies, and leaves the bodies of calls that take a file unread. Other content types are refused
 * (415), and an empty body becomes `undefined`. The text must be UTF-8. Fastify's own parser refuses keys that would
 * change an object's prototype.
 *
 * A body above 64 KiB takes milliseconds to parse. Many that arrive together are parsed in one iteration of the event
 * loop each, so that other requests are answered between them.
 */
import { limits } from "@kauke/contract";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { AppError } from "../../core/app-error.ts";
import { importTooLarge } from "../../core/import/imported-alias.ts";
import { collectBody } from "./collect-body.ts";

/** Runs calls one after another in their order, each in an iteration of the event loop of its own. */
class LoopTurns {
  readonly #waiting: (() => void)[] = [];

  run(call: () => void): void {
    this.#waiting.push(call);
    if (this.#waiting.length === 1) setImmediate(() => this.#runFirst());
  }

  #runFirst(): void {
    // A callback that `setImmediate` gets while one runs is called in the next iteration.
    if (this.#waiting.length > 1) setImmediate(() => this.#runFirst());
    this.#waiting.shift()?.();
  }
}

const MALFORMED = "The body is not valid JSON.";

export function readOnlyJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/octet-stream", (request: FastifyRequest, body, done) => {
    const { bodyLimit, config } = request.routeOptions;
    if (config.hasBytesBody !== true) return done(new AppError("not_json"));
    if (Number(request.headers["content-length"] ?? 0) > bodyLimit) return done(importTooLarge());
    return done(null, body);
  });
  const large = new LoopTurns();
  app.addContentTypeParser("application/json", (request: FastifyRequest, payload, done) => {
    collectBody({ request, payload }, (failure, body) => {
      if (failure !== null) return done(failure);
      if (body.length === 0) return done(null, undefined);
      const isLarge = body.length > limits.smallBodyMaxBytes;
      const read = () => {
        const text = decode(body);
        if (text === null) return done(new AppError("invalid", { message: MALFORMED }));
        return void parse(request, text, (error, value) => {
          done(error === null ? null : new AppError("invalid", { message: MALFORMED }), value);
        });
      };
      return isLarge ? large.run(read) : read();
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
