/**
 * Sends a mailbox that is not confirmed one request for confirmation, caps its mail, and notifies the owner once a day.
 * Mail over a limit waits in the queue; RCPT gets the same reply as for any alias.
 */

import type { ConfirmationState } from "@kauke/contract";
import type { DeliveryOutcome, DeliveryTarget } from "../../core/delivery/delivery.ts";
import { type AskDeps, askForConfirmation } from "../../core/destination/confirmation.ts";
import type { ConfirmationSettings, DestinationStore } from "../../core/destination/destination.ts";
import { sameMailbox } from "../../core/destination/same-mailbox.ts";
import type { NoticeStore } from "../../core/notice.ts";
import { DayCounts } from "../../limits/day-counts.ts";
import { partOf } from "../../limits/process-part.ts";
import { BoundedMap } from "../../runtime/maps.ts";
import { type Clock, type Logger, type Random } from "../../runtime/ports.ts";
import { deferred, refused } from "../classify-reply.ts";

export interface GuardDeps {
  ask: AskDeps;
  settings: ConfirmationSettings;
  destinations: Pick<DestinationStore, "states">;
  notices: Pick<NoticeStore, "insert">;
  clock: Clock;
  random: Random;
  logger: Logger;
  processes?: number;
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

const notConfirmed = deferred("not_confirmed", "4.7.1");
const notWanted = refused("not_wanted", "5.1.1");
const tryLater = deferred("try_later", "4.3.0");
const NOTICE_EVERY_MS = 86_400_000;
const REMEMBERED_MAX = 10_000;

export class ConfirmationGuard {
  readonly #deps: GuardDeps;
  readonly #caps: ConfirmationCaps;
  readonly #notifiedAt = new BoundedMap<string, number>(REMEMBERED_MAX);

  constructor(deps: GuardDeps) {
    this.#deps = deps;
    this.#caps = new ConfirmationCaps(deps.clock, deps.processes);
  }

  /** @param state at RCPT. @returns the outcome that replaces the attempt; `null` when it may be made */
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

  async #defer(forward: Forward): Promise<DeliveryOutcome> {
    await this.#notify(forward);
    return notConfirmed;
  }

  /** Never throws: a failed notice must not change the outcome of the delivery. */
  async #notify({ userId, aliasId, aliasAddress, address }: Forward): Promise<void> {
    const { notices, random, clock, logger } = this.#deps;
    const createdAt = clock.now();
    const key = `${aliasAddress}\0${address}`;
    const last = this.#notifiedAt.get(key);
    if (last !== undefined && createdAt.getTime() - last < NOTICE_EVERY_MS) return;
    this.#notifiedAt.set(key, createdAt.getTime());
    const text =
      `${address} is not confirmed yet and takes no more mail now. Mail to ${aliasAddress} waits. ` +
      "Please open the link in the message we sent there.";
    try {
      await notices.insert({ id: random.uuid(), userId, aliasId, kind: "not_confirmed", text, createdAt });
    } catch {
      this.#notifiedAt.delete(key);
      logger.warn("notice_failed");
    }
  }
}

/** @returns `null` for reports, mail sent as an alias, and mail to the operator */
function forwardOf({ userId, aliasId, target }: GuardedDelivery): Forward | null {
  const { destination, purpose, aliasAddress } = target;
  if (userId === null || purpose !== undefined || destination.kind !== "mailbox") return null;
  return { userId, aliasId, aliasAddress, address: destination.address };
}

/** `pair` is one account to one mailbox: below `mailbox`, so that no account alone uses up a mailbox' limit. */
const perDay = { mailbox: 20, pair: 15, account: 100 };
const COUNTED_MAX = 50_000;

/** Counts in memory: each expires a day after its first message, and a restart resets it. */
export class ConfirmationCaps {
  readonly #mailboxes: DayCounts;
  readonly #pairs: DayCounts;
  readonly #accounts: DayCounts;

  constructor(clock: Clock, processes = 1) {
    const counts = (name: keyof typeof perDay) =>
      new DayCounts({ max: partOf(perDay[name], processes), capacity: COUNTED_MAX, clock });
    this.#mailboxes = counts("mailbox");
    this.#pairs = counts("pair");
    this.#accounts = counts("account");
  }

  /** @returns false, counting nothing, when a limit is reached */
  take(userId: string, address: string): boolean {
    const mailbox = sameMailbox(address);
    const counted = [
      [this.#mailboxes, mailbox],
      [this.#pairs, `${userId} ${mailbox}`],
      [this.#accounts, userId],
    ] as const;
    if (!counted.every(([counts, key]) => counts.hasRoom(key))) return false;
    for (const [counts, key] of counted) counts.add(key);
    return true;
  }
}
