/**
 * Responses that the client saves as a file. Each is read from the database page by page as the client receives it, so
 * a stalled download has one page in memory. An account has one download at a time, and a newer one ends the older.
 * When there are too many, the one stalled for longest is ended, of the network block with the most.
 */

import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../../core/app-error.ts";
import { clientBlock } from "../../limits/party.ts";
import { FairPool } from "../../limits/slots.ts";
import { bounds } from "../../limits/table.ts";
import { clientAddress } from "../request/client.ts";

const { all, account, block, crowdedBlock } = bounds.downloads;
const rules = {
  max: all,
  maxPerNetwork: account,
  maxPerBlock: block,
  maxPerBlockWhenCrowded: crowdedBlock,
  ownIdleMs: 0,
};

interface Download {
  lastReadAt: number;
  end(): void;
}

interface DownloadRequest {
  request: FastifyRequest;
  reply: FastifyReply;
  userId: string;
  inTurn<T>(work: () => T): T;
}

export class Downloads {
  readonly #pool = new FairPool<Download>(rules);

  /** Streams a file. @param chunks read as the client receives them @throws AppError `busy` for too many downloads */
  begin(chunks: AsyncIterable<string>, { request, reply, userId, inTurn }: DownloadRequest): Readable {
    const download: Download = { lastReadAt: performance.now(), end: () => reply.raw.destroy() };
    this.#enter(download, { network: userId, block: clientBlock(clientAddress(request)) });
    reply.raw.once("close", () => this.#pool.delete(download));
    return Readable.from(readOnDemand(chunks[Symbol.asyncIterator](), { download, inTurn }));
  }

  #enter(download: Download, party: { network: string; block: string }): void {
    const judge = ({ lastReadAt }: Download) => ({ state: "idle", idleSince: lastReadAt }) as const;
    const newcomer = { party, now: download.lastReadAt, judge };
    if (!this.#pool.admits(newcomer, (other) => other.end())) throw new AppError("busy");
    this.#pool.put(download, party);
  }
}

interface Reading {
  download: Download;
  inTurn<T>(work: () => T): T;
}

async function* readOnDemand(chunks: AsyncIterator<string>, { download, inTurn }: Reading): AsyncGenerator<string> {
  try {
    for (;;) {
      const { done, value } = await inTurn(() => chunks.next());
      if (done === true) return;
      download.lastReadAt = performance.now();
      yield value;
    }
  } finally {
    await chunks.return?.();
  }
}
