/** What an attempt shows: whether the mailbox exists, and that an unreachable host is back. */

import {
  type Delivery,
  type DeliveryOutcome,
  type DeliveryStore,
  destinationName,
  type FailureCode,
} from "../../core/delivery/delivery.ts";
import {
  MISSING_MAILBOX_RULE,
  type MissingMailbox,
  type MissingMailboxStore,
} from "../../core/destination/destination.ts";
import type { NoticeStore } from "../../core/notice.ts";
import { bounds } from "../../limits/table.ts";
import { BoundedMap } from "../../runtime/maps.ts";
import type { Clock, Logger, Random } from "../../runtime/ports.ts";
import type { SendReport } from "../transport/transport.ts";

export interface DestinationHealthDeps {
  missingMailboxes: Pick<MissingMailboxStore, "note" | "clear">;
  notices: Pick<NoticeStore, "insert">;
  deliveries: Pick<DeliveryStore, "hasten">;
  clock: Clock;
  random: Random;
  logger: Logger;
}

type Tried = Pick<Delivery, "id" | "messageId" | "aliasId" | "userId" | "target">;

interface TriedMailbox extends Pick<Delivery, "messageId" | "aliasId"> {
  userId: string;
  address: string;
}

const KNOWN_MAX = 10_000;

export class DestinationHealth {
  readonly #deps: DestinationHealthDeps;
  readonly #waitingMail = new WaitingMail();
  /** Refusals by account and address; an evicted count is read from the store again. */
  readonly #refusals = new BoundedMap<string, MissingMailbox>(KNOWN_MAX);

  constructor(deps: DestinationHealthDeps) {
    this.#deps = deps;
  }

  /** Never throws: what can't be written is recorded with the next message. @param wasMissing counted before */
  async note(tried: Tried, report: SendReport, wasMissing: boolean): Promise<void> {
    await this.#noteMailbox(tried, report, wasMissing);
    const due = this.#waitingMail.note(destinationName(tried.target.destination), tried.id, report.outcome);
    if (due.length > 0) this.#hasten(due);
  }

  #hasten(ids: readonly string[]): void {
    const { deliveries, clock, logger } = this.#deps;
    deliveries.hasten(ids, clock.now()).then(
      () => logger.info("destination_recovered", { count: ids.length }),
      () => logger.warn("waiting_mail_not_hastened", { count: ids.length }),
    );
  }

  async #noteMailbox({ messageId, aliasId, userId, target }: Tried, report: SendReport, wasMissing: boolean) {
    const { destination, purpose } = target;
    if (purpose !== undefined || userId === null || destination.kind !== "mailbox") return;
    const { address } = destination;
    const key = `${userId}\0${address}`;
    const isTaken = report.outcome.kind === "taken";
    if (!report.isMailboxMissing && !(isTaken && (wasMissing || this.#refusals.has(key)))) return;
    try {
      if (isTaken) await this.#clear(key, userId, address);
      else if (this.#isWorthCounting(key)) await this.#count(key, { userId, address, messageId, aliasId });
    } catch {
      this.#deps.logger.warn("mailbox_standing_failed");
    }
  }

  /** True below the maximum of refusals; at it, once the minimum time span has passed. */
  #isWorthCounting(key: string): boolean {
    const known = this.#refusals.get(key);
    if (known === undefined || known.refusals < MISSING_MAILBOX_RULE.refusals - 1) return true;
    return this.#deps.clock.now().getTime() - known.firstAt.getTime() >= MISSING_MAILBOX_RULE.spanMs;
  }

  async #clear(key: string, userId: string, address: string): Promise<void> {
    this.#refusals.delete(key);
    await this.#deps.missingMailboxes.clear(userId, address);
  }

  async #count(key: string, refusal: TriedMailbox): Promise<void> {
    const counted = await this.#deps.missingMailboxes.note(refusal);
    this.#refusals.delete(key);
    if (counted === null) return;
    this.#refusals.set(key, counted);
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

type WaitingLimits = Pick<typeof bounds.waitingMail, "all" | "destination">;

/** Failures to reach a host, not its replies, which concern the message or mailbox. */
const unreached: ReadonlySet<FailureCode> = new Set<FailureCode>([
  "unreachable",
  "timed_out",
  "connection_lost",
  "dns_failed",
  "tls_failed",
]);

interface Waiting {
  ids: Set<string>;
  lastBatchAt: number;
}

/** When an unreachable destination takes a message, mail waiting for it becomes due in batches. In memory, bounded. */
export class WaitingMail {
  readonly #limits: WaitingLimits;
  readonly #now: () => number;
  readonly #destinations = new Map<string, Waiting>();
  #size = 0;

  constructor(limits: WaitingLimits = bounds.waitingMail, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  get size(): number {
    return this.#size;
  }

  note(destination: string, deliveryId: string, outcome: DeliveryOutcome): string[] {
    if (outcome.kind === "deferred" && !outcome.isUntried && unreached.has(outcome.failure.code)) {
      this.#add(destination, deliveryId);
      return [];
    }
    if (this.#size > 0) this.#remove(destination, deliveryId);
    if (outcome.kind !== "taken") return [];
    return this.#size > 0 ? this.#batch(destination) : [];
  }

  #add(destination: string, id: string): void {
    const known = this.#destinations.get(destination) ?? {
      ids: new Set<string>(),
      lastBatchAt: Number.NEGATIVE_INFINITY,
    };
    if (known.ids.has(id) || known.ids.size >= this.#limits.destination) return;
    if (this.#size >= this.#limits.all) this.#evictLargest();
    known.ids.add(id);
    this.#size++;
    this.#destinations.delete(destination);
    this.#destinations.set(destination, known);
  }

  #evictLargest(): void {
    let largest: [string, Waiting] | null = null;
    for (const entry of this.#destinations)
      if (largest === null || entry[1].ids.size > largest[1].ids.size) largest = entry;
    if (largest === null) return;
    this.#size -= largest[1].ids.size;
    this.#destinations.delete(largest[0]);
  }

  #remove(destination: string, id: string): void {
    const known = this.#destinations.get(destination);
    if (known?.ids.delete(id) !== true) return;
    this.#size--;
    if (known.ids.size === 0) this.#destinations.delete(destination);
  }

  #batch(destination: string): string[] {
    const known = this.#destinations.get(destination);
    const now = this.#now();
    if (known === undefined || now - known.lastBatchAt < bounds.waitingMail.batchEveryMs) return [];
    known.lastBatchAt = now;
    const ids = [...known.ids].slice(0, bounds.waitingMail.batch);
    for (const id of ids) this.#remove(destination, id);
    return ids;
  }
}
