/**
 * Watches forwards for mailboxes that do not exist according to their hosts: counts refusals, resets the count when a
 * message is taken, and notifies the owner when the store suspends a mailbox.
 */

import type { DeliveryOutcome, DeliveryTarget } from "../../core/delivery/delivery.ts";
import {
  MISSING_MAILBOX_RULE,
  type MissingMailbox,
  type MissingMailboxStore,
} from "../../core/destination/missing-mailbox.ts";
import type { NoticeStore } from "../../core/notice.ts";
import { BoundedMap } from "../../runtime/bounded-map.ts";
import type { Clock, Logger, Random } from "../../runtime/ports.ts";

export interface MailboxHealthDeps {
  missingMailboxes: Pick<MissingMailboxStore, "note" | "clear">;
  notices: Pick<NoticeStore, "insert">;
  clock: Clock;
  random: Random;
  logger: Logger;
}

interface Tried {
  messageId: string;
  aliasId: string | null;
  userId: string | null;
  target: DeliveryTarget;
}

export interface AttemptFacts {
  outcome: DeliveryOutcome;
  /** Whether the host replied to RCPT that the mailbox does not exist. */
  isMissing: boolean;
  /** Whether refusals were already counted when the route was looked up. */
  wasMissing: boolean;
}

/** A destination mailbox, and the message with which it was tried. */
interface TriedMailbox {
  userId: string;
  address: string;
  messageId: string;
  aliasId: string | null;
}

const KNOWN_MAX = 10_000;

export class MailboxHealth {
  readonly #deps: MailboxHealthDeps;
  /** Refusal counts keyed by account and address. Evicted entries are read from the store again. */
  readonly #known = new BoundedMap<string, MissingMailbox>(KNOWN_MAX);

  constructor(deps: MailboxHealthDeps) {
    this.#deps = deps;
  }

  /**
   * Never throws: what can't be written now is recorded with the next message.
   * @returns `null` when the attempt reveals nothing new about a mailbox, as nearly always
   */
  note({ messageId, aliasId, userId, target }: Tried, found: AttemptFacts): Promise<void> | null {
    const { destination, purpose } = target;
    if (purpose !== undefined || userId === null || destination.kind !== "mailbox") return null;
    const { address } = destination;
    const key = `${userId}\0${address}`;
    const isTaken = found.outcome.kind === "taken";
    if (!found.isMissing && !(isTaken && (found.wasMissing || this.#known.has(key)))) return null;
    return this.#write(key, { userId, address, messageId, aliasId }, isTaken);
  }

  async #write(key: string, mailbox: TriedMailbox, isTaken: boolean): Promise<void> {
    try {
      if (isTaken) await this.#clear(key, mailbox);
      else if (this.#isWorthCounting(key)) await this.#count(key, mailbox);
    } catch {
      this.#deps.logger.warn("mailbox_standing_failed");
    }
  }

  /**
   * Whether a refusal must be stored: the first ones, up to one below the limit, and after that only one that may
   * suspend the mailbox because the rule's time span has passed.
   */
  #isWorthCounting(key: string): boolean {
    const known = this.#known.get(key);
    if (known === undefined || known.refusals < MISSING_MAILBOX_RULE.refusals - 1) return true;
    return this.#deps.clock.now().getTime() - known.firstAt.getTime() >= MISSING_MAILBOX_RULE.spanMs;
  }

  async #clear(key: string, { userId, address }: TriedMailbox): Promise<void> {
    this.#known.delete(key);
    await this.#deps.missingMailboxes.clear(userId, address);
  }

  async #count(key: string, refusal: TriedMailbox): Promise<void> {
    const counted = await this.#deps.missingMailboxes.note(refusal);
    this.#known.delete(key);
    if (counted === null) return;
    this.#known.set(key, counted);
    if (counted.isNew) await this.#notify(refusal);
  }

  async #notify({ userId, address, aliasId }: TriedMailbox): Promise<void> {
    const { notices, clock, random, logger } = this.#deps;
    logger.info("mailbox_suspended", aliasId === null ? {} : { id: aliasId });
    const text = `Mail to ${address} is refused for now: for more than a day its mail host has said that there is no such mailbox. Press "Try again" beside your alias when it exists.`;
    const notice = { id: random.uuid(), userId, kind: "mailbox_suspended" as const, aliasId };
    await notices.insert({ ...notice, text, createdAt: clock.now() });
  }
}
