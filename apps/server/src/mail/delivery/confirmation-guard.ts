/** Asks an unconfirmed mailbox once, caps its mail, and notifies the owner once a day. Mail over a cap stays queued. */

import type { ConfirmationState } from "@kauke/contract";
import type { Delivery, DeliveryOutcome } from "../../core/delivery/delivery.ts";
import { type AskDeps, askForConfirmation } from "../../core/destination/confirmation.ts";
import type { ConfirmationSettings, DestinationStore } from "../../core/destination/destination.ts";
import { sameMailbox } from "../../core/destination/same-mailbox.ts";
import { type NoticeDeps, RepeatedNotices } from "../../core/notice.ts";
import { FixedWindows, spendAll } from "../../limits/rate.ts";
import { bounds, partOf } from "../../limits/table.ts";
import { type Clock, steadyMs } from "../../runtime/ports.ts";
import { deferred, refused } from "../classify-reply.ts";

export interface GuardDeps extends NoticeDeps {
  ask: AskDeps;
  settings: ConfirmationSettings;
  destinations: Pick<DestinationStore, "states">;
  processes?: number;
}

type GuardedDelivery = Pick<Delivery, "userId" | "aliasId" | "target">;

interface Forward {
  userId: string;
  aliasId: string | null;
  aliasAddress: string;
  address: string;
}

const notConfirmed = deferred("not_confirmed", "4.7.1");
const notWanted = refused("not_wanted", "5.1.1");
const tryLater = deferred("try_later", "4.3.0");
const DAY_SECONDS = 86_400;

export class ConfirmationGuard {
  readonly #deps: GuardDeps;
  readonly #caps: ConfirmationCaps;
  readonly #notices: RepeatedNotices;

  constructor(deps: GuardDeps) {
    this.#deps = deps;
    this.#caps = new ConfirmationCaps(deps.clock, deps.processes);
    this.#notices = new RepeatedNotices(deps, DAY_SECONDS);
  }

  /** @param state at RCPT @returns the outcome instead of an attempt; `null`: attempt the delivery */
  async beforeAttempt(delivery: GuardedDelivery, state: "new" | "asked"): Promise<DeliveryOutcome | null> {
    const forward = forwardOf(delivery);
    return forward === null ? null : this.#before(forward, state);
  }

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
    if (!this.#caps.take(forward.userId, forward.address)) return this.#defer(forward);
    return state === "new" ? this.#ask(forward) : null;
  }

  async #ask(forward: Forward): Promise<DeliveryOutcome | null> {
    const { ask, settings, logger } = this.#deps;
    const { userId, address } = forward;
    try {
      const decision = await askForConfirmation(ask, settings, { userId, address, isByOwner: false });
      if (decision.kind === "too_many" || decision.kind === "too_soon") return await this.#defer(forward);
      const isEnded = decision.kind === "known" && (decision.state === "refused" || decision.state === "blocked");
      return isEnded ? notWanted : null;
    } catch {
      logger.warn("confirmation_ask_failed");
      return tryLater;
    }
  }

  async #defer({ userId, aliasId, aliasAddress, address }: Forward): Promise<DeliveryOutcome> {
    const text =
      `${address} is not confirmed yet and takes no more mail now. Mail to ${aliasAddress} waits. ` +
      "Please open the link in the message we sent there.";
    await this.#notices.add(`${aliasAddress}\0${address}`, { userId, aliasId, kind: "not_confirmed", text });
    return notConfirmed;
  }
}

/** @returns `null` for reports, mail sent as an alias, and mail to the operator */
function forwardOf({ userId, aliasId, target }: GuardedDelivery): Forward | null {
  const { destination, purpose, aliasAddress } = target;
  if (userId === null || purpose !== undefined || destination.kind !== "mailbox") return null;
  return { userId, aliasId, aliasAddress, address: destination.address };
}

/** Caps on mail to unconfirmed mailboxes: per mailbox over all accounts, per account and mailbox, and per account. */
export class ConfirmationCaps {
  readonly #mailboxes: FixedWindows;
  readonly #pairs: FixedWindows;
  readonly #accounts: FixedWindows;
  readonly #clock: Clock;

  constructor(clock: Clock, processes = 1) {
    const { unconfirmedForwards: most, remembered } = bounds;
    const perDay = (max: number) =>
      new FixedWindows({ max: partOf(max, processes), windowSeconds: DAY_SECONDS }, remembered.unconfirmed);
    this.#mailboxes = perDay(most.mailbox);
    this.#pairs = perDay(most.pair);
    this.#accounts = perDay(most.account);
    this.#clock = clock;
  }

  take(userId: string, address: string): boolean {
    const mailbox = sameMailbox(address);
    const counted = [
      [this.#mailboxes, mailbox],
      [this.#pairs, `${userId} ${mailbox}`],
      [this.#accounts, userId],
    ] as const;
    return spendAll(counted, steadyMs(this.#clock));
  }
}
