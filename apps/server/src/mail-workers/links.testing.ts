/** The owner's and a mail worker's side of one link, connected within the test's process. */
import { deserialize, serialize } from "node:v8";
import { type LinkSide, linkSide } from "./link.ts";
import type { ToOwner, ToWorker } from "./messages.ts";

export interface ConnectedLinks {
  owner: LinkSide<ToWorker, ToOwner>;
  worker: LinkSide<ToOwner, ToWorker>;
  /** Messages that the worker has sent, one list for each turn of the event loop. */
  batches: ToOwner[][];
  /** Closes both sides, as when the worker's process is killed. */
  kill(): void;
}

export function connectedLinks(): ConnectedLinks {
  const batches: ToOwner[][] = [];
  const owner: LinkSide<ToWorker, ToOwner> = linkSide((messages) => worker.receive(copied(messages)));
  const worker: LinkSide<ToOwner, ToWorker> = linkSide((messages) => {
    batches.push(messages);
    owner.receive(copied(messages));
  });
  const kill = () => {
    worker.end();
    owner.end();
  };
  return { owner, worker, batches, kill };
}

const copied = <T>(value: T): T => deserialize(serialize(value));
