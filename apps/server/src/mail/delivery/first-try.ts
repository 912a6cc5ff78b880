import { createHash } from "node:crypto";
import { firstValue, readHeader } from "@kauke/mail-rfc";
import type { Delivery, DeliveryOutcome, DeliveryTarget } from "../../core/delivery/delivery.ts";
import { bounds } from "../../limits/table.ts";
import { BoundedMap } from "../../runtime/maps.ts";
import { type Clock, steadyMs } from "../../runtime/ports.ts";
import type { AccountBounceSender } from "../message/bounce-address.ts";
import type { ForwardCopy } from "../message/forward-copy.ts";
import type { CopyReplies } from "../message/reply-book.ts";
import type { MailRefusal } from "../reply.ts";
import { Attempt } from "./attempt.ts";
import { type FailureReporter, withoutSenderReport } from "./failures.ts";

export interface PlannedDelivery extends Omit<Delivery, "attempts"> {
  /** Network block from which the account was registered, as an opaque text; absent when unknown. */
  registeredFrom?: string | undefined;
  copy: ForwardCopy;
  unconfirmed?: "new" | "asked";
  /** The mailbox' host has refused earlier mail because the mailbox does not exist. */
  wasMissing?: boolean;
  /** The delivery stays in the queue because its reply addresses could not be stored yet. */
  isHeld?: boolean;
}

export interface PlannedAlias {
  deliveries: readonly PlannedDelivery[];
  replies?: CopyReplies;
  /** Sender to store before the copy is sent, because its envelope sender contains a token for this sender. */
  bounceSender?: AccountBounceSender | null;
  refusedAs?: MailRefusal;
}

export interface InboundPlan {
  aliases: readonly PlannedAlias[];
  keepFor: readonly string[];
  otherwiseTaken: boolean;
}

export class FirstTry {
  readonly planned: PlannedDelivery;
  readonly attempt: Attempt | null;
  /** Outcome of the attempt; never rejects. */
  readonly ended: Promise<DeliveryOutcome>;
  /** The delivery is in the queue or in flight, where its outcome is settled and reported. */
  isEnqueued = false;
  readonly #known: DeliveryOutcome | null;

  constructor(planned: PlannedDelivery, begun: Attempt | DeliveryOutcome) {
    this.planned = planned;
    this.attempt = begun instanceof Attempt ? begun : null;
    this.#known = begun instanceof Attempt ? null : begun;
    this.ended = begun instanceof Attempt ? begun.ended : Promise.resolve(begun);
  }

  get outcome(): DeliveryOutcome | null {
    return this.attempt === null ? this.#known : this.attempt.outcome;
  }

  get isOpen(): boolean {
    return this.outcome === null || this.outcome.kind === "deferred";
  }

  get needsBytes(): boolean {
    return this.attempt?.needsBytes === true;
  }
}

type Failures = Pick<FailureReporter, "report">;

export async function reportRefused(all: readonly FirstTry[], wire: Buffer, failures: Failures): Promise<void> {
  const reported = new Set<string | null>();
  for (const tried of all) {
    const { planned, outcome, isEnqueued } = tried;
    if (outcome?.kind !== "refused" || isEnqueued) continue;
    const mayTellSender = !reported.has(planned.aliasId) && siblingsOf(tried, all).every(isRefused);
    if (mayTellSender) reported.add(planned.aliasId);
    await failures.report({ ...(mayTellSender ? planned : withoutSenderReport(planned)), wire }, outcome.failure);
  }
}

/** After a 5xx the sender knows of the failure, so the owner is notified only of webhooks that responded 410. */
export async function reportGoneWebhooks(all: readonly FirstTry[], failures: Failures): Promise<void> {
  for (const { planned, outcome } of all) {
    if (outcome?.kind !== "refused" || outcome.failure.code !== "webhook_gone") continue;
    await failures.report(withoutSenderReport(planned), outcome.failure);
  }
}

export function isTakenBySibling(tried: FirstTry, all: readonly FirstTry[]): boolean {
  return siblingsOf(tried, all).some(({ outcome }) => outcome?.kind === "taken");
}

function siblingsOf({ planned }: FirstTry, all: readonly FirstTry[]): readonly FirstTry[] {
  return all.filter((tried) => tried.planned.aliasId === planned.aliasId);
}

function isRefused({ outcome, isEnqueued }: FirstTry): boolean {
  return outcome?.kind === "refused" && !isEnqueued;
}

/** Destinations that accepted a message that got 451, so that its retry skips them. Keyed hashes, one hour. */
export class TakenFingerprints {
  readonly #hmac: (data: Buffer) => Buffer;
  readonly #clock: Clock;
  readonly #until = new BoundedMap<string, number>(bounds.remembered.takenDeliveries);

  constructor(hmac: (data: Buffer) => Buffer, clock: Clock) {
    this.#hmac = hmac;
    this.#clock = clock;
  }

  of(wire: Buffer): TakenOfMessage {
    return new TakenOfMessage(wire, this);
  }

  /** While no fingerprint is remembered, messages need not be hashed to look them up. */
  get isEmpty(): boolean {
    return this.#until.size === 0;
  }

  add(fingerprint: Buffer): void {
    this.#until.set(this.#keyOf(fingerprint), steadyMs(this.#clock) + bounds.remembered.takenMs);
  }

  has(fingerprint: Buffer): boolean {
    const key = this.#keyOf(fingerprint);
    const until = this.#until.get(key);
    if (until === undefined) return false;
    if (until > steadyMs(this.#clock)) return true;
    this.#until.delete(key);
    return false;
  }

  #keyOf(fingerprint: Buffer): string {
    return this.#hmac(fingerprint).toString("base64");
  }
}

const originFields = ["message-id", "date", "from", "subject"] as const;

export class TakenOfMessage {
  readonly #all: TakenFingerprints;
  #wire: Buffer | null;
  #message: Buffer | null = null;

  constructor(wire: Buffer, all: TakenFingerprints) {
    this.#wire = wire;
    this.#all = all;
  }

  has(target: DeliveryTarget): boolean {
    return !this.#all.isEmpty && this.#all.has(this.#fingerprint(target));
  }

  remember(target: DeliveryTarget): void {
    this.#all.add(this.#fingerprint(target));
  }

  /** Hashes what the author wrote: trace fields may differ in a retry, and some programs write no Message-ID. */
  read(): Buffer {
    if (this.#message !== null) return this.#message;
    const wire = this.#wire ?? Buffer.alloc(0);
    const { fields, end } = readHeader(wire);
    const origin = originFields.map((name) => firstValue(wire, fields, name) ?? "").join("\0");
    const bodyHash = createHash("sha256").update(wire.subarray(end)).digest();
    this.#message = Buffer.concat([bodyHash, Buffer.from(`${origin}\0`)]);
    this.#wire = null;
    return this.#message;
  }

  #fingerprint({ aliasAddress, destination }: DeliveryTarget): Buffer {
    const where = destination.kind === "mailbox" ? destination.address : destination.url;
    return Buffer.concat([this.read(), Buffer.from(`${aliasAddress}\0${where}`)]);
  }
}
