/**
 * Worker shares over an exchange. Changes are collected and sent together `SEND_AFTER_MS` after the first; while
 * nothing changes, nothing is sent and no timer runs. Bounded: a batch has at most `BATCH_MAX` changes, and
 * `WAITING_MAX` unsent keys of events are sent at once. When a limiter is created, its worker asks the other workers
 * for that limiter's state, because they may have been counting before this worker was started.
 */
import { ShortLivedMap, ShortLivedSet } from "../short-lived.ts";
import type { ShareBatch, ShareChange, ShareExchange } from "./share-exchange.ts";
import { SharedCounts } from "./shared-counts.ts";
import type { EventReceiver, PublishEvent, WorkerShares } from "./worker-shares.ts";

/** Milliseconds between the first change and the batch that contains it. */
const SEND_AFTER_MS = 25;
const BATCH_MAX = 1000;
/** Number of a limiter's keys with unsent changes at which all changes are sent without waiting for the timer. */
const WAITING_MAX = 10_000;
/** Maximum entries of a limiter's state that are sent to a worker that asks for it. */
const STATE_MAX = 20_000;

/** Name of a change that is a request: the other workers shall send the state of the limiter that its key names. */
const ASK = "?";
/** Prefix of a limiter's name in changes that contain an entry of its state, sent on request. */
const STATE = "=";

interface Channel {
  /** Returns the changes that have not been sent yet, and marks them as sent. */
  takeChanges(): Iterable<readonly [key: string, amount: number]>;
  receive(from: number, key: string, amount: number): void;
  /** Counts that a worker which started later has to be told. */
  state(): Iterable<readonly [key: string, amount: number]>;
  receiveState(from: number, key: string, amount: number): void;
  forget(from: number): void;
}

export class ExchangedShares implements WorkerShares {
  readonly #exchange: ShareExchange;
  readonly #channels = new Map<string, Channel>();
  /** Names of limiters with unsent changes. */
  readonly #changed = new ShortLivedSet<string>();
  /** Names of limiters whose state this worker will request from the others in its next batch. */
  readonly #toAsk = new Set<string>();
  /** Names of limiters whose state another worker requested; sent with the next batch. */
  readonly #toTell = new Set<string>();
  #timer: NodeJS.Timeout | null = null;

  constructor(exchange: ShareExchange) {
    this.#exchange = exchange;
    exchange.onBatch((from, batch) => this.#receive(from, batch));
    exchange.onGone((from) => {
      for (const channel of this.#channels.values()) channel.forget(from);
    });
  }

  events(name: string, receiver: EventReceiver): PublishEvent {
    const unsent = new ShortLivedMap<string, number>();
    this.#open(name, {
      takeChanges() {
        const changes = [...unsent];
        unsent.clear();
        return changes;
      },
      receive: (_from, key, amount) => receiver.apply(key, amount),
      state: () => receiver.state?.() ?? [],
      receiveState: (_from, key, amount) => receiver.applyState?.(key, amount),
      forget() {},
    });
    const join = receiver.join ?? ((one, other) => one + other);
    return (key, amount = 1) => {
      const before = unsent.get(key);
      unsent.set(key, before === undefined ? amount : join(before, amount));
      if (unsent.size === 1) this.#sendSoon(name);
      else if (unsent.size >= WAITING_MAX) this.flush();
    };
  }

  counts(name: string): SharedCounts {
    const counts = new SharedCounts({ self: this.#exchange.self, onChange: () => this.#sendSoon(name) });
    this.#open(name, {
      takeChanges: () => counts.takeChanges(),
      receive: (from, key, amount) => counts.receive(from, key, amount),
      state: () => counts.published(),
      receiveState: (from, key, amount) => counts.receive(from, key, amount),
      forget: (from) => counts.forget(from),
    });
    return counts;
  }

  within(prefix: string): WorkerShares {
    return {
      events: (name, receiver) => this.events(`${prefix} ${name}`, receiver),
      counts: (name) => this.counts(`${prefix} ${name}`),
      within: (next) => this.within(`${prefix} ${next}`),
    };
  }

  /** Sends all changes now. */
  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const changes = [...this.#takeChanges()];
    for (let from = 0; from < changes.length; from += BATCH_MAX)
      this.#exchange.send(changes.slice(from, from + BATCH_MAX));
  }

  *#takeChanges(): Generator<ShareChange> {
    for (const name of this.#toAsk) yield [ASK, name, 0];
    for (const name of this.#changed)
      for (const [key, amount] of this.#channels.get(name)?.takeChanges() ?? []) yield [name, key, amount];
    // Sent after the changes, which the state includes: in the other order, receivers would count them a second time.
    for (const name of this.#toTell) yield* this.#stateOf(name);
    this.#toAsk.clear();
    this.#changed.clear();
    this.#toTell.clear();
  }

  *#stateOf(name: string): Generator<ShareChange> {
    let left = STATE_MAX;
    for (const [key, amount] of this.#channels.get(name)?.state() ?? []) {
      if (left-- === 0) return;
      yield [STATE + name, key, amount];
    }
  }

  #open(name: string, channel: Channel): void {
    if (this.#channels.has(name)) throw new Error(`the share ${name} is counted twice in one worker`);
    this.#channels.set(name, channel);
    this.#toAsk.add(name);
    this.#schedule();
  }

  #receive(from: number, batch: ShareBatch): void {
    for (const [name, key, amount] of batch) {
      if (name === ASK) this.#tellSoon(key);
      else if (name.startsWith(STATE)) this.#channels.get(name.slice(1))?.receiveState(from, key, amount);
      else this.#channels.get(name)?.receive(from, key, amount);
    }
  }

  #tellSoon(name: string): void {
    if (!this.#channels.has(name)) return;
    this.#toTell.add(name);
    this.#schedule();
  }

  #sendSoon(name: string): void {
    this.#changed.add(name);
    this.#schedule();
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => this.flush(), SEND_AFTER_MS).unref();
  }
}
