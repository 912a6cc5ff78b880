/**
 * The exchange of counts between mail processes (`core/worker-shares`): every worker sends its changes to the owner
 * process, which applies them to its own counts and passes them on to the other workers.
 */
import type { ShareBatch, ShareExchange } from "../core/worker-shares/share-exchange.ts";
import type { Link } from "./link.ts";
import type { ToOwner, ToWorker } from "./messages.ts";

/** Number of the owner in the exchange; workers are numbered from 1. */
const OWNER = 0;

type Listener = (from: number, batch: ShareBatch) => void;

export class ShareHub {
  readonly #links = new Map<number, Link<ToWorker, ToOwner>>();
  readonly #onBatch: Listener[] = [];
  readonly #onGone: ((from: number) => void)[] = [];

  /** The exchange as the owner's limiters use it. */
  readonly exchange: ShareExchange = {
    self: OWNER,
    send: (batch) => this.#passOn(OWNER, batch),
    onBatch: (listener) => void this.#onBatch.push(listener),
    onGone: (listener) => void this.#onGone.push(listener),
  };

  /** Adds a worker to the exchange until its link closes. */
  join(worker: number, link: Link<ToWorker, ToOwner>): void {
    this.#links.set(worker, link);
    link.onMessage((message) => {
      if (message.kind !== "shares") return;
      for (const listener of this.#onBatch) listener(worker, message.batch);
      this.#passOn(worker, message.batch);
    });
    link.onClose(() => {
      this.#links.delete(worker);
      for (const listener of this.#onGone) listener(worker);
      for (const other of this.#links.values()) other.send({ kind: "gone", from: worker });
    });
  }

  #passOn(from: number, batch: ShareBatch): void {
    for (const [worker, link] of this.#links) if (worker !== from) link.send({ kind: "shares", from, batch });
  }
}

/** The exchange as a worker's limiters use it, over the link to the owner. */
export function workerExchange(self: number, link: Link<ToOwner, ToWorker>): ShareExchange {
  return {
    self,
    send: (batch) => link.send({ kind: "shares", batch }),
    onBatch: (listener) =>
      link.onMessage((message) => {
        if (message.kind === "shares") listener(message.from, message.batch);
      }),
    onGone: (listener) =>
      link.onMessage((message) => {
        if (message.kind === "gone") listener(message.from);
      }),
  };
}
