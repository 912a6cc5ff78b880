import type { DeliveryOutcome } from "../../core/delivery/delivery.ts";
import type { Clock, Logger } from "../../runtime/ports.ts";
import { deferred, untried } from "../classify-reply.ts";
import { EncryptionFailed } from "../message/encrypted-copy.ts";
import type { ForwardCopy } from "../message/forward-copy.ts";
import { outcomeOnly, type SendReport, type Transports } from "../transport/transport.ts";
import { type CheckDeps, checkDelivery, type DeliveryToCheck, type KnownFromArrival } from "./attempt-checks.ts";
import type { DestinationHealth } from "./destination-health.ts";
import { destinationName, partiesOfDelivery, type RunningAttempt } from "./shares/running-attempt.ts";
import type { RunningAttempts } from "./shares/running-attempts.ts";

export interface DeliveryToAttempt extends DeliveryToCheck {
  messageId: string;
  registeredFrom?: string | undefined;
  sizeBytes: number;
}

export interface OpenCopy {
  copy: ForwardCopy;
  /** Whether the mailbox' host refused earlier mail as to a mailbox that does not exist. */
  wasMissing: boolean;
  release(): void;
}

/** Source of a copy: made on arrival for all first attempts of an alias, or read from the spool for a retry. */
export interface CopySource {
  known: KnownFromArrival | null;
  /** Reserves memory and makes the copy. @returns an outcome when there is nothing to send, or no room in memory */
  open(attempt: Attempt): Promise<OpenCopy | DeliveryOutcome>;
}

export interface AttemptDeps {
  running: RunningAttempts;
  checks: CheckDeps;
  transports: Transports;
  health: Pick<DestinationHealth, "note">;
  clock: Clock;
  logger: Logger;
}

/** An exception is a failure of this server. It counts against the retry schedule, so it is not repeated for ever. */
const failedHere = deferred("try_later", "4.3.0");
const notEncrypted = deferred("not_sealed", "4.7.5");

/** @returns the attempt, or why none starts now: the account has its maximum, or found the destination slow or busy */
export function startAttempt(
  delivery: DeliveryToAttempt,
  source: CopySource,
  deps: AttemptDeps,
): Attempt | DeliveryOutcome {
  const running = deps.running.start(partiesOfDelivery(delivery));
  if (running !== null) return new Attempt({ delivery, running }, source, deps);
  return deps.running.hasRoom(delivery.userId) ? untried : { ...untried, notBefore: deps.clock.now() };
}

export class Attempt {
  outcome: DeliveryOutcome | null = null;
  /** Outcome of the attempt; never rejects. */
  readonly ended: Promise<DeliveryOutcome>;
  readonly #delivery: DeliveryToAttempt;
  readonly #running: RunningAttempt;
  readonly #deps: AttemptDeps;
  readonly #onSent: (() => void)[] = [];

  constructor(of: { delivery: DeliveryToAttempt; running: RunningAttempt }, source: CopySource, deps: AttemptDeps) {
    this.#delivery = of.delivery;
    this.#running = of.running;
    this.#deps = deps;
    of.running.onSent = () => {
      for (const listener of this.#onSent) listener();
    };
    this.ended = this.#run(source);
  }

  /** Whether bytes are still to be passed to the system, or another host might get them. */
  get needsBytes(): boolean {
    return this.outcome === null && !this.#running.isPassedOn;
  }

  /** Milliseconds for which a busy provider gets no mail of the account, if nothing was sent for that reason. */
  get pausedMs(): number {
    return this.#running.pausedMs;
  }

  get memoryParties(): string[] {
    const { userId, target } = this.#delivery;
    const { peer } = this.#running;
    const account = userId === null ? "operator" : `of ${userId}`;
    return [account, `to ${destinationName(target.destination)}`, ...(peer === null ? [] : [`at ${peer}`])];
  }

  /** @param listener called when the message is sent to a host, and only its reply is outstanding */
  onSent(listener: () => void): void {
    this.#onSent.push(listener);
  }

  /** Stops the attempt unless the destination can have the message: another attempt would send it twice. */
  stopUnlessSent(): void {
    if (this.outcome === null && !this.#running.isSent) this.#running.stop();
  }

  async #run(source: CopySource): Promise<DeliveryOutcome> {
    const { running, logger } = this.#deps;
    try {
      this.outcome = running.finish(this.#running, await this.#try(source));
    } catch (thrown) {
      const stack = thrown instanceof Error ? thrown.name : typeof thrown;
      logger.error("delivery_run_failed", { id: this.#delivery.id, stack });
      this.outcome = failedHere;
    } finally {
      running.remove(this.#running);
    }
    return this.outcome;
  }

  async #try(source: CopySource): Promise<DeliveryOutcome> {
    const opened = await source.open(this);
    if ("kind" in opened) return opened;
    const { copy, wasMissing } = opened;
    try {
      copy.onEvicted(() => this.stopUnlessSent());
      const instead = await checkDelivery(this.#delivery, copy, source.known, this.#deps.checks);
      if (instead !== null) return instead;
      const report = await this.#send(copy);
      for (const provider of report.busyProviders) this.#deps.running.noteBusy(this.#running, provider);
      await this.#deps.health.note(this.#delivery, report, wasMissing);
      return report.outcome;
    } finally {
      opened.release();
    }
  }

  async #send(copy: ForwardCopy): Promise<SendReport> {
    const { id, target } = this.#delivery;
    const { destination } = target;
    const { mail, webhook } = this.#deps.transports;
    try {
      if (destination.kind === "mailbox") return await mail.send(await copy.mailTo(destination.address), this.#running);
      const body = await copy.webhookBody();
      if (body === null || copy.webhookSecret === null) return outcomeOnly(failedHere);
      return await webhook.post({ url: destination.url, id, secret: copy.webhookSecret, body }, this.#running);
    } catch (thrown) {
      return outcomeOnly(thrown instanceof EncryptionFailed ? notEncrypted : failedHere);
    }
  }
}
