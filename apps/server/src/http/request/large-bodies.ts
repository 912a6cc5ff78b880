/**
 * Limits the number of requests with a body above 64 KiB, in total and per account, since each body is in memory as a
 * whole. When there are too many, a slow one is cancelled, of the account with the most first.
 */
import { limits } from "@kauke/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../../core/app-error.ts";
import { FairPool, type Standing } from "../../limits/fair-pool.ts";

/** Limits on concurrent requests with a large body, each of up to 1.8 MB in memory. */
const rules = {
  max: 32,
  maxPerNetwork: 4,
  maxPerBlock: 4,
  maxPerBlockWhenCrowded: 4,
  ownIdleMs: Number.POSITIVE_INFINITY,
};
const SLOW_AFTER_MS = 5000;

interface Body {
  request: FastifyRequest;
  since: number;
}

export class LargeBodies {
  readonly #pool = new FairPool<Body>(rules);

  /**
   * Counts a request with a large body until its response is closed.
   * @throws AppError `busy` when too many such requests are in progress and none can be cancelled
   */
  enter(request: FastifyRequest, reply: FastifyReply, userId: string): void {
    // A request without Content-Length is counted as one with a body of the maximum size.
    if (Number(request.headers["content-length"] ?? limits.requestBodyMaxBytes) <= limits.smallBodyMaxBytes) return;
    const now = performance.now();
    const party = { network: userId, block: userId };
    const room = this.#pool.makeRoom({ party, now, judge: (body) => standingOf(body, now) });
    if (room === "full") throw new AppError("busy");
    if (room !== "room") {
      this.#pool.delete(room.leaves);
      room.leaves.request.raw.destroy();
    }
    const body = { request, since: now };
    this.#pool.put(body, party);
    reply.raw.once("close", () => this.#pool.delete(body));
  }
}

function standingOf({ request, since }: Body, now: number): Standing {
  if (request.raw.complete) return { state: "answering", idleSince: since };
  return { state: now - since < SLOW_AFTER_MS ? "moving" : "idle", idleSince: since };
}
