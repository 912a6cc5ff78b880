/**
 * Stands before forwards to mailboxes that are not confirmed: asks them at the first, holds the caps, tells the owner once a
 * day. What is over a cap waits in the queue; RCPT is answered as for any alias. A confirmed mailbox never comes here.
 */

import type { ConfirmationState } from "@kauke/contract";
import { BoundedMap } from "../../core/bounded-map.ts";
import type { DeliveryOutcome, DeliveryTarget } from "../../core/delivery/delivery.ts";
import { type AskDeps, askForConfirmation } from "../../core/destination/ask-for-confirmation.ts";
import type { ConfirmationSettings } from "../../core/destination/destination.ts";
import type { NoticeStore } from "../../core/notice/notice.ts";
import type { Logger } from "../../core/ports.ts";
import { deferred, refused } from "../classify-reply.ts";
import { ConfirmationCaps } from "./confirmation-caps.ts";

export interface GuardDeps extends AskDeps {
  notices: Pick<NoticeStore, "insert">;
  settings: ConfirmationSettings;
  logger: Logger;
}

interface GuardedDelivery {
  userId: string | null;
  aliasId: string | null;
  target: DeliveryTarget;
}

interface Forward {
  userId: string;
  aliasId: string | null;
  aliasAddress: string;
  address: string;
}

const waits = deferred("not_confirmed", "4.7.1");
const notWanted = refused("not_wanted", "5.1.1");
const tryLater = deferred("try_later", "4.3.0");
const quietMs = 86_400_000;
const maxRemembered = 10_000;

export class ConfirmationGuard {
  readonly #deps: GuardDeps;
  readonly #caps: ConfirmationCaps;
  readonly #toldAt = new BoundedMap<string, number>(maxRemembered);

  constructor(deps: GuardDeps) {
    this.#deps = deps;
    this.#caps = new ConfirmationCaps(deps.clock);
  }

  /** The first try. @param state as the route knew it @returns how it ends without a try, `null` when it may be made */
  async beforeAttempt(delivery: GuardedDelivery, state: "new" | "asked"): Promise<DeliveryOutcome | null> {
    const forward = forwardOf(delivery);
    return forward === null ? null : this.#before(forward, state);
  }

  /** A later try: the mailbox may have answered since. */
  async beforeRetry(delivery: GuardedDelivery): Promise<DeliveryOutcome | null> {
    const forward = forwardOf(delivery);
    if (forward === null) return null;
    const { userId, address } = forward;
    const state = (await this.#deps.destinations.states(userId, [address])).get(address) ?? "new";
    return this.#before(forward, state);
  }

  async #before(forward: Forward, state: ConfirmationState): Promise<DeliveryOutcome | null> {
    if (state === "confirmed") return null;
    if (state === "refused" || state === "blocked") return notWanted;
    if (!this.#caps.take(forward.userId, forward.address)) return this.#hold(forward);
    return state === "new" ? this.#ask(forward) : null;
  }

  async #ask(forward: Forward): Promise<DeliveryOutcome | null> {
    const { settings, logger } = this.#deps;
    const { userId, address } = forward;
    try {
      const decision = await askForConfirmation(this.#deps, settings, { userId, address, isByOwner: false });
      if (decision.kind === "too_many" || decision.kind === "too_soon") return await this.#hold(forward);
      const isEnded = decision.kind === "known" && (decision.state === "refused" || decision.state === "blocked");
      return isEnded ? notWanted : null;
    } catch {
      logger.warn("confirmation_ask_failed");
      return tryLater;
    }
  }

  async #hold(forward: Forward): Promise<DeliveryOutcome> {
    await this.#tell(forward);
    return waits;
  }

  /** Once a day for an alias and a mailbox. Never throws: a notice that can't be written must not change an answer. */
  async #tell({ userId, aliasId, aliasAddress, address }: Forward): Promise<void> {
    const { notices, random, clock, logger } = this.#deps;
    const createdAt = clock.now();
    const key = `${aliasAddress}\0${address}`;
    const last = this.#toldAt.get(key);
    if (last !== undefined && createdAt.getTime() - last < quietMs) return;
    this.#toldAt.set(key, createdAt.getTime());
    const text =
      `${address} is not confirmed yet and takes no more mail now. Mail to ${aliasAddress} waits. ` +
      "Please open the link in the message we sent there.";
    try {
      await notices.insert({ id: random.uuid(), userId, aliasId, kind: "not_confirmed", text, createdAt });
    } catch {
      this.#toldAt.delete(key);
      logger.warn("notice_failed");
    }
  }
}

/** Forwards of an account to a mailbox only; composed mail, reports and the operator's copies are none. */
function forwardOf({ userId, aliasId, target }: GuardedDelivery): Forward | null {
  const { destination, purpose, aliasAddress } = target;
  if (userId === null || purpose !== undefined || destination.kind !== "mailbox") return null;
  return { userId, aliasId, aliasAddress, address: destination.address };
}
