/** Copies for retries, made again from the stored bytes, with results equal to those on arrival. */
import { readHeader } from "@kauke/mail-rfc";
import type { AliasStore } from "../../core/alias/alias.ts";
import { type DeliveryOutcome, isOwnMail, type LeasedDelivery } from "../../core/delivery/delivery.ts";
import type { MessageBodies } from "../../core/message/message.ts";
import type { BackgroundMemory } from "../../limits/bytes.ts";
import type { Logger, Metrics } from "../../runtime/ports.ts";
import { untried } from "../classify-reply.ts";
import { makeForwardCopy } from "../message/encrypted-copy.ts";
import { type CopyParts, type ForwardCopy, makeSendCopy } from "../message/forward-copy.ts";
import type { Attempt, CopySource, OpenCopy } from "./attempt.ts";

export interface SpooledCopiesDeps {
  bodies: Pick<MessageBodies, "get">;
  aliases: Pick<AliasStore, "findRouteById">;
  copyParts: CopyParts;
  memory: BackgroundMemory;
  logger: Logger;
  metrics: Metrics;
}

type MadeCopy = Omit<OpenCopy, "release">;

export class SpooledCopies {
  readonly #deps: SpooledCopiesDeps;

  constructor(deps: SpooledCopiesDeps) {
    this.#deps = deps;
  }

  of(delivery: LeasedDelivery): CopySource {
    return { known: null, open: (attempt) => this.#open(delivery, attempt) };
  }

  /** A copy's memory stays reserved until all its bytes are sent or the memory is needed elsewhere. */
  async #open(delivery: LeasedDelivery, attempt: Attempt): Promise<OpenCopy | DeliveryOutcome> {
    let copy: ForwardCopy | null = null;
    const giveBack = this.#reserve(delivery, attempt, () => {
      attempt.stopUnlessSent();
      copy?.release();
    });
    if (giveBack === null) return untried;
    const release = () => {
      copy?.release();
      giveBack();
    };
    attempt.onSent(() => {
      if (!attempt.needsBytes) release();
    });
    try {
      const made = await this.#make(delivery);
      if ("copy" in made) {
        copy = made.copy;
        return { ...made, release };
      }
      release();
      return made;
    } catch (thrown) {
      release();
      throw thrown;
    }
  }

  #reserve({ target, sizeBytes: bytes }: LeasedDelivery, attempt: Attempt, evict: () => void): (() => void) | null {
    if (isOwnMail(target)) return this.#deps.memory.hold({ bytes, parties: () => ["own mail"], evict });
    return this.#deps.memory.take({ bytes, parties: () => attempt.memoryParties, evict });
  }

  async #make(delivery: LeasedDelivery): Promise<MadeCopy | DeliveryOutcome> {
    const { bodies, logger, metrics } = this.#deps;
    const wire = await bodies.get(delivery.messageId);
    if (wire !== null)
      return delivery.target.purpose === undefined ? this.#forward(delivery, wire) : this.#send(delivery, wire);
    metrics.count("kauke_unreadable_total", { what: "body" });
    logger.error("spool_body_missing", { id: delivery.messageId });
    return { kind: "refused", failure: { code: "spool_lost", enhancedStatus: "5.3.0" } };
  }

  #send({ envelope, target }: LeasedDelivery, wire: Buffer): MadeCopy {
    const { aliasAddress, purpose } = target;
    const source = { envelope, wire, aliasAddress, isReport: purpose === "report" };
    return { copy: makeSendCopy(source, this.#deps.copyParts.signer), wasMissing: false };
  }

  async #forward(delivery: LeasedDelivery, wire: Buffer): Promise<MadeCopy | DeliveryOutcome> {
    const { aliasId, messageId, envelope, target, userId: account } = delivery;
    const { aliasAddress, destination } = target;
    const route = aliasId === null ? null : await this.#deps.aliases.findRouteById(aliasId);
    // The alias was deleted after the claim, with its mail.
    if (aliasId !== null && route === null) return { kind: "taken" };
    const copy = makeForwardCopy(
      {
        messageId,
        envelope,
        wire,
        header: readHeader(wire),
        aliasAddress,
        aliasId,
        account,
        webhookSecret: route?.webhookSecret ?? null,
        replyKey: route?.replyKey ?? null,
        // By what was stored on arrival, since the alias may have other destinations now.
        mayNameSender: target.reportTo !== undefined && target.isOneOfSeveral !== true,
        encryptTo:
          route === null || route.ageRecipient === null
            ? null
            : { publicKey: route.ageRecipient, userId: route.userId },
      },
      this.#deps.copyParts,
    );
    const wasMissing = destination.kind === "mailbox" && route?.missing?.includes(destination.address) === true;
    return { copy, wasMissing };
  }
}
