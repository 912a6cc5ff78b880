import { domainOf } from "@kauke/mail-rfc";
import type { AliasStore } from "../../core/alias/alias.ts";
import {
  type Delivery,
  type DeliveryFailure,
  type DeliveryOutcome,
  destinationName,
} from "../../core/delivery/delivery.ts";
import type { MailDomains } from "../../core/domain/mail-domains.ts";
import type { Clock, Logger } from "../../runtime/ports.ts";
import { deferred, refused, untried } from "../classify-reply.ts";
import { EncryptionFailed } from "../message/encrypted-copy.ts";
import type { ForwardCopy } from "../message/forward-copy.ts";
import type { ReplyBook } from "../message/reply-book.ts";
import { outcomeOnly, type SendReport, type Transports } from "../transport/transport.ts";
import type { ConfirmationGuard } from "./confirmation-guard.ts";
import type { DestinationHealth } from "./destination-health.ts";
import type { DestinationShares } from "./shares/destination-shares.ts";
import { partiesOfDelivery, type RunningAttempt } from "./shares/running-attempt.ts";
import type { RunningAttempts } from "./shares/running-attempts.ts";

export interface DeliveryToAttempt extends DeliveryToCheck, Pick<Delivery, "messageId"> {
  lastFailure?: DeliveryFailure | undefined;
  registeredFrom?: string | undefined;
  sizeBytes: number;
}

export interface OpenCopy {
  copy: ForwardCopy;
  /** The mailbox' host has refused earlier mail because the mailbox does not exist. */
  wasMissing: boolean;
  release(): void;
}

/** Source of a copy: made on arrival for all first attempts of an alias, or read from the spool for a retry. */
export interface CopySource {
  known: KnownFromArrival | null;
  /** Reserves memory for the copy. @returns an outcome when there is nothing to send, or no memory */
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

/** An exception is our own failure. It counts against the retry schedule, so that it is not repeated for ever. */
const failedHere = deferred("try_later", "4.3.0");
const notEncrypted = deferred("not_sealed", "4.7.5");

/** @returns why none starts now: the account has its maximum, or found the destination slow or busy */
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

  constructor(of: { delivery: DeliveryToAttempt; running: RunningAttempt }, source: CopySource, deps: AttemptDeps) {
    this.#delivery = of.delivery;
    this.#running = of.running;
    this.#deps = deps;
    this.ended = this.#run(source);
  }

  /** False once the system has all bytes and no other host might get them. */
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

  /** @param listener called when only the host's reply is outstanding */
  onSent(listener: () => void): void {
    this.#running.onSent(listener);
  }

  /** Does not stop an attempt whose destination may have the message: the next one would send it twice. */
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
    const { id, messageId, userId, target, lastFailure } = this.#delivery;
    const { destination } = target;
    const { mail, webhook } = this.#deps.transports;
    try {
      if (destination.kind === "mailbox") {
        const outgoing = await copy.mailTo(destination.address);
        const isForwarded = target.purpose === undefined;
        const isComposed = target.purpose === "send" && userId !== null;
        const failed = lastFailure === undefined ? {} : { lastFailure: lastFailure.code };
        const origin = { messageId, alias: target.aliasAddress };
        return await mail.send({ ...outgoing, isForwarded, isComposed, origin, ...failed }, this.#running);
      }
      const body = await copy.webhookBody();
      if (body === null || copy.webhookSecret === null) return outcomeOnly(failedHere);
      return await webhook.post({ url: destination.url, id, secret: copy.webhookSecret, body }, this.#running);
    } catch (thrown) {
      return outcomeOnly(thrown instanceof EncryptionFailed ? notEncrypted : failedHere);
    }
  }
}

export type DeliveryToCheck = Pick<Delivery, "id" | "aliasId" | "userId" | "target">;

export interface KnownFromArrival {
  unconfirmed?: "new" | "asked";
  /** The copy waits because the account has too many new correspondents to store its reply addresses. */
  isHeld?: boolean;
}

export interface CheckDeps {
  domains: Pick<MailDomains, "whyNotSending">;
  aliases: Pick<AliasStore, "findRouteById">;
  replyBook: Pick<ReplyBook, "keep">;
  guard: Pick<ConfirmationGuard, "beforeAttempt" | "beforeRetry"> | null;
  shares: Pick<DestinationShares, "beforeAttempt" | "beforeRetry"> | null;
}

const tooManyCorrespondents = deferred("try_later", "4.7.1");
/** The message waits for the domain's records as long as its retry schedule lasts. */
const domainPaused = deferred("domain_paused", "4.7.1");
const webhookGone = refused("webhook_gone", "5.1.6");

/** @param known `null` for a retry @returns the outcome instead of an attempt; `null`: attempt the delivery */
export async function checkDelivery(
  delivery: DeliveryToCheck,
  copy: ForwardCopy,
  known: KnownFromArrival | null,
  deps: CheckDeps,
): Promise<DeliveryOutcome | null> {
  return known === null ? checkRetry(delivery, copy, deps) : checkFirst(delivery, known, deps);
}

/** RCPT left out paused webhooks and listed unconfirmed mailboxes, so others need no look-up. */
async function checkFirst(delivery: DeliveryToCheck, known: KnownFromArrival, { guard, shares }: CheckDeps) {
  // A copy whose reply addresses could not be stored waits until they are: replies to them must find their way back.
  if (known.isHeld) return tooManyCorrespondents;
  const unconfirmed = known.unconfirmed === undefined ? null : await guard?.beforeAttempt(delivery, known.unconfirmed);
  // Last, because it counts the message against the destination's limit.
  return unconfirmed ?? shares?.beforeAttempt(delivery) ?? null;
}

async function checkRetry(delivery: DeliveryToCheck, copy: ForwardCopy, deps: CheckDeps) {
  if (!maySend(delivery, deps)) return domainPaused;
  if (await isWebhookPaused(delivery, deps)) return webhookGone;
  if (!(await storeReplyAddresses(delivery, copy, deps))) return tooManyCorrespondents;
  return (await deps.guard?.beforeRetry(delivery)) ?? deps.shares?.beforeRetry(delivery) ?? null;
}

/** Forwarded mail was accepted, and is delivered whatever has become of the alias' domain since. */
const maySend = ({ userId, target: { purpose, aliasAddress } }: DeliveryToCheck, { domains }: CheckDeps): boolean =>
  purpose !== "send" || userId === null || domains.whyNotSending(userId, domainOf(aliasAddress)) === null;

async function isWebhookPaused({ aliasId, target }: DeliveryToCheck, { aliases }: CheckDeps): Promise<boolean> {
  const { destination } = target;
  if (destination.kind !== "webhook" || aliasId === null) return false;
  return (await aliases.findRouteById(aliasId))?.pausedWebhooks.includes(destination.url) ?? false;
}

/** @returns false when the account has too many new correspondents */
async function storeReplyAddresses(
  { aliasId, userId }: DeliveryToCheck,
  { correspondents }: ForwardCopy,
  { replyBook }: CheckDeps,
): Promise<boolean> {
  if (aliasId === null || userId === null || correspondents.length === 0) return true;
  return (await replyBook.keep([{ aliasId, userId, correspondents }])).size === 0;
}
