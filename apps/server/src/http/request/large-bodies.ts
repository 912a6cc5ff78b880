/** Concurrent bodies above 64 KiB, in total and per account. At the limit, the busiest account loses a slow one. */

import { limits } from "@kauke/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../../core/app-error.ts";
import { FairPool, type Standing } from "../../limits/slots.ts";
import { bounds } from "../../limits/table.ts";

const rules = {
  max: bounds.largeBodies.all,
  maxPerNetwork: bounds.largeBodies.account,
  maxPerBlock: bounds.largeBodies.account,
  maxPerBlockWhenCrowded: bounds.largeBodies.account,
  ownIdleMs: Number.POSITIVE_INFINITY,
};

interface Body {
  request: FastifyRequest;
  since: number;
}

export class LargeBodies {
  readonly #pool = new FairPool<Body>(rules);

  /** Counts a large body until its response is closed. @throws AppError `busy` at the limit if none can be cancelled */
  enter(request: FastifyRequest, reply: FastifyReply, userId: string): void {
    // A request without Content-Length is counted as one with a body of the maximum size.
    if (Number(request.headers["content-length"] ?? limits.requestBodyMaxBytes) <= limits.smallBodyMaxBytes) return;
    const now = performance.now();
    const party = { network: userId, block: userId };
    const judge = (body: Body) => standingOf(body, now);
    if (!this.#pool.admits({ party, now, judge }, (body) => void body.request.raw.destroy()))
      throw new AppError("busy");
    const body = { request, since: now };
    this.#pool.put(body, party);
    reply.raw.once("close", () => this.#pool.delete(body));
  }
}

function standingOf({ request, since }: Body, now: number): Standing {
  if (request.raw.complete) return { state: "answering", idleSince: since };
  return { state: now - since < bounds.largeBodies.slowMs ? "moving" : "idle", idleSince: since };
}
