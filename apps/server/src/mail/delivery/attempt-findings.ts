/** What an attempt reveals about its destination: whether the mailbox exists, and that an unreachable host is back. */
import type { DeliveryStore } from "../../core/delivery/delivery.ts";
import type { Clock, Logger } from "../../runtime/ports.ts";
import type { SendReport } from "../transport/transport.ts";
import { MailboxHealth, type MailboxHealthDeps } from "./mailbox-health.ts";
import { destinationName } from "./shares/destination-name.ts";
import { WaitingMail } from "./waiting-mail.ts";

export interface AttemptFindingsDeps extends MailboxHealthDeps {
  deliveries: Pick<DeliveryStore, "hasten">;
  clock: Clock;
  logger: Logger;
}

type Tried = Parameters<MailboxHealth["note"]>[0] & { id: string; wasMissing?: boolean };

export class AttemptFindings {
  readonly #deps: AttemptFindingsDeps;
  readonly #health: MailboxHealth;
  readonly #waitingMail = new WaitingMail();

  constructor(deps: AttemptFindingsDeps) {
    this.#deps = deps;
    this.#health = new MailboxHealth(deps);
  }

  async note(delivery: Tried, { outcome, isMailboxMissing: isMissing }: SendReport): Promise<void> {
    const { id, target, wasMissing = false } = delivery;
    const noting = this.#health.note(delivery, { outcome, isMissing, wasMissing });
    if (noting !== null) await noting;
    const due = this.#waitingMail.note(destinationName(target.destination), id, outcome);
    if (due.length > 0) this.#hasten(due);
  }

  /** Never throws: a delivery that can't be made due now keeps its retry time. */
  #hasten(ids: readonly string[]): void {
    const { deliveries, clock, logger } = this.#deps;
    deliveries.hasten(ids, clock.now()).then(
      () => logger.info("destination_recovered", { count: ids.length }),
      () => logger.warn("waiting_mail_not_hastened", { count: ids.length }),
    );
  }
}
