import { bounds } from "../../limits/table.ts";
import { FairQueue } from "../../runtime/fair-queue/fair-queue.ts";

/** Lets messages with files be made in turns between accounts. */
export class AttachedMail {
  readonly #queue = new FairQueue({
    concurrency: bounds.attachedMail.atOnce,
    waitingMax: bounds.attachedMail.waiting,
    waitingOfPartyMax: bounds.attachedMail.account,
  });

  /** @throws QueueRefusal `busy` */
  make<T>(userId: string, work: () => Promise<T>): Promise<T> {
    return this.#queue.run({ party: userId, isKnown: true }, work);
  }
}
