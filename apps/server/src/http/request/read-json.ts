/** Parses JSON bodies in UTF-8; empty ones become `undefined`. Fastify's parser refuses prototype keys. */
import type { IncomingMessage } from "node:http";
import { limits } from "@kauke/contract";
import { errorCodes, type FastifyInstance, type FastifyRequest } from "fastify";
import { AppError } from "../../core/app-error.ts";
import { importTooLarge } from "../../core/import/imported-alias.ts";
import { ByteBlocks } from "../../runtime/byte-streams.ts";

type Done = (error: Error | null, value?: unknown) => void;

/** Leaves files unread; refuses other content types (415). Parses one large body per iteration of the event loop. */
export function readOnlyJson(app: FastifyInstance): void {
  const parse = jsonParser(app);
  app.addContentTypeParser("application/octet-stream", (request: FastifyRequest, body, done) => {
    const { bodyLimit, config } = request.routeOptions;
    if (config.hasBytesBody !== true) return done(new AppError("not_json"));
    if (Number(request.headers["content-length"] ?? 0) > bodyLimit)
      return done(request.url.startsWith("/api/imports") ? importTooLarge() : new AppError("too_large"));
    return done(null, body);
  });
  const large = new LoopTurns();
  app.addContentTypeParser("application/json", (request: FastifyRequest, payload, done) => {
    collectBody({ request, payload }, (failure, body) => {
      if (failure !== null) return done(failure);
      if (body.length === 0) return done(null, undefined);
      const read = () => parse(request, body, done);
      return body.length > limits.smallBodyMaxBytes ? large.run(read) : read();
    });
  });
}

/** Parses up to 64 KiB as JSON whatever the content type: some clients send text/plain, no type, or no body. */
export function readAnyJson(app: FastifyInstance): void {
  const parse = jsonParser(app, (text) => text.trim() === "");
  app.addContentTypeParser("*", (request: FastifyRequest, payload, done) => {
    collectBody({ request, payload, bodyLimit: limits.smallBodyMaxBytes }, (failure, body) =>
      failure === null ? parse(request, body, done) : done(failure),
    );
  });
}

/** Replaces the app's parsers. @throws AppError `invalid`, through `done`, for a body that is not JSON in UTF-8 */
function jsonParser(app: FastifyInstance, isEmpty = (_text: string) => false) {
  const parse = app.getDefaultJsonParser("error", "error");
  const malformed = () => new AppError("invalid", { message: "The body is not valid JSON." });
  app.removeAllContentTypeParsers();
  return (request: FastifyRequest, body: Buffer, done: Done): void => {
    let text: string;
    try {
      text = new TextDecoder("utf-8", { fatal: true }).decode(body);
    } catch {
      return done(malformed());
    }
    if (isEmpty(text)) return done(null, undefined);
    return void parse(request, text, (error, value) => (error === null ? done(null, value) : done(malformed())));
  };
}

/** Runs each call in its own iteration of the event loop, in order. */
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

type Collected = (error: Error | null, body: Buffer) => void;

const nothing = Buffer.alloc(0);

interface Arriving {
  request: FastifyRequest;
  payload: IncomingMessage;
  bodyLimit?: number;
}

/** Reads a body, of which Fastify would store every chunk as an object. Errors: 413 if too large, 400 if cut off. */
export function collectBody(
  { request, payload, bodyLimit = request.routeOptions.bodyLimit }: Arriving,
  done: Collected,
): void {
  const announced = request.headers["content-length"];
  if (Number(announced) > bodyLimit) return done(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE(), nothing);
  const blocks = new ByteBlocks();

  const finish = (error: Error | null, body = nothing) => {
    payload.off("data", take).off("end", end).off("error", fail);
    done(error, body);
  };
  const take = (chunk: Buffer) => {
    if (blocks.length + chunk.length > bodyLimit) return finish(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE());
    blocks.push(chunk);
  };
  const end = () => {
    const { length } = blocks;
    if (announced !== undefined && Number(announced) !== length) {
      return finish(new errorCodes.FST_ERR_CTP_INVALID_CONTENT_LENGTH());
    }
    finish(null, Buffer.concat(blocks.take(), length));
  };
  const fail = (error: Error) => finish(Object.assign(error, { statusCode: 400 }));
  payload.on("data", take).on("end", end).on("error", fail);
}
