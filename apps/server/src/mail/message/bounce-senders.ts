/** Stores senders whom tokens in bounce addresses stand for. One over a limit is not stored, and gets no bounces. */
import { SRS_MAX_AGE_DAYS } from "@kauke/mail-rfc";
import { type BounceSender, type BounceSenderStore, utcDay } from "../../core/bounce-sender.ts";
import { TokenBuckets } from "../../limits/rate.ts";
import { bounds, type RowRules, rowsPerDay } from "../../limits/table.ts";
import { type Clock, steadyMs } from "../../runtime/ports.ts";

export interface AccountBounceSender extends BounceSender {
  userId: string;
}

const DAY_MS = 86_400_000;

export class BounceSenders {
  readonly #store: Pick<BounceSenderStore, "ensure">;
  readonly #clock: Clock;
  /** Last day for which rows are stored, by token as hex. */
  readonly #stored = new Map<string, string>();
  readonly #limits: Record<keyof RowRules, TokenBuckets> | null;

  /** @param rules `null`: no limit */
  constructor(
    store: Pick<BounceSenderStore, "ensure">,
    clock: Clock,
    rules: RowRules | null = rowsPerDay(bounds.newBounceSenders),
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#limits = rules && {
      alias: new TokenBuckets(rules.alias, bounds.rateBuckets.keys),
      account: new TokenBuckets(rules.account, bounds.rateBuckets.keys),
    };
  }

  /** @param receivedAt arrival of the message, whose day is part of its bounce addresses */
  async keep(senders: readonly AccountBounceSender[], receivedAt: Date): Promise<void> {
    const expiresOn = utcDay(new Date(receivedAt.getTime() + (SRS_MAX_AGE_DAYS + 1) * DAY_MS));
    const due = senders.filter((sender) => !this.#isStored(sender, expiresOn) && this.#take(sender));
    const byAccount = [...Map.groupBy(due, ({ userId }) => userId)];
    await Promise.all(byAccount.map(([account, own]) => this.#store.ensure(own, { expiresOn, account })));
    for (const { token } of due) this.#remember(token.toString("hex"), expiresOn);
  }

  #isStored({ token }: BounceSender, expiresOn: string): boolean {
    return (this.#stored.get(token.toString("hex")) ?? "") >= expiresOn;
  }

  #take({ aliasId, userId }: AccountBounceSender): boolean {
    if (this.#limits === null) return true;
    const { alias, account } = this.#limits;
    const now = steadyMs(this.#clock);
    return !account.isEmpty(userId, now) && alias.take(aliasId, now) && account.take(userId, now);
  }

  #remember(token: string, expiresOn: string): void {
    this.#stored.delete(token);
    const oldest = this.#stored.keys().next().value;
    if (this.#stored.size >= bounds.remembered.bounceSenders && oldest !== undefined) this.#stored.delete(oldest);
    this.#stored.set(token, expiresOn);
  }
}
