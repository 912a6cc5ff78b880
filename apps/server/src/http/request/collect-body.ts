import type { IncomingMessage } from "node:http";
import { limits } from "@kauke/contract";
import { errorCodes, type FastifyRequest } from "fastify";
import { freeMemory } from "../../core/free-memory.ts";
import { ByteBlocks } from "../../core/streams/byte-blocks.ts";

type Collected = (error: Error | null, body: Buffer) => void;

const nothing = Buffer.alloc(0);

interface Arriving {
  request: FastifyRequest;
  payload: IncomingMessage;
  /** Maximum bytes of the body; by default the route's limit. */
  bodyLimit?: number;
}

/**
 * Collects the body of a request, in place of Fastify, which would keep every chunk as an object. The memory of the
 * chunks of a body above 64 KiB is freed as soon as they are joined, without waiting for the garbage collector.
 *
 * `done` is called once. Its error has the status 413 when the body exceeds the limit, or 400 when the connection ended
 * before the body did.
 */
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
    const chunks = blocks.take();
    const body = Buffer.concat(chunks, length);
    if (length > limits.smallBodyMaxBytes) for (const chunk of chunks) freeMemory(chunk);
    finish(null, body);
  };
  const fail = (error: Error) => finish(Object.assign(error, { statusCode: 400 }));
  payload.on("data", take).on("end", end).on("error", fail);
}
