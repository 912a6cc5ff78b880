/**
 * What each address was allowed to forward to and when, as its owner's acknowledged changes say, compared with what a
 * forwarding provider did. Times are milliseconds since 1970.
 */
import type { FakeChange } from "../fakes/fake-forward-email-store.ts";

/** Recipients by address; an address that must not forward has none, or is missing. */
export type Forwards = ReadonlyMap<string, readonly string[]>;

export interface Span {
  from: number;
  to: number;
}

/** A provider's forwarding that was not allowed any more. */
export interface LateForward {
  address: string;
  /** From the acknowledgement of the change, or the late execution of a call, to the end of the forwarding. */
  lateMs: number;
  /** Milliseconds: longest stretch of the delay without a restart of the server or a fault of the provider. */
  reachableMs: number;
}

export interface ForwardingReport {
  /** Combinations of recipients that nobody ever asked for. */
  neverWanted: { address: string; recipients: readonly string[]; at: number }[];
  late: LateForward[];
}

interface AllowedState {
  recipients: string;
  from: number;
  to: number;
}

const textOf = (recipients: readonly string[]) =>
  recipients
    .map((one) => one.toLowerCase())
    .sort()
    .join(" ");

export class ForwardingTimeline {
  readonly #states = new Map<string, AllowedState[]>();
  readonly #now: () => number;

  constructor(now: () => number = () => Date.now()) {
    this.#now = now;
  }

  /** Before a change is requested: from now on, both the old and the new state are allowed. */
  begin(before: Forwards, after: Forwards): { acknowledged(): void; refused(): void } {
    const from = this.#now();
    const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
      (address) => textOf(before.get(address) ?? []) !== textOf(after.get(address) ?? []),
    );
    const added = changed.map((address) => {
      const state = { recipients: textOf(after.get(address) ?? []), from, to: Number.POSITIVE_INFINITY };
      this.#of(address).push(state);
      return { address, state };
    });
    return {
      acknowledged: () => {
        for (const { address, state } of added) this.#end(address, (one) => one !== state);
      },
      refused: () => {
        for (const { address, state } of added) this.#end(address, (one) => one === state);
      },
    };
  }

  /** After a change whose outcome was unknown: of these addresses, only the state that was read is allowed. */
  read(addresses: Iterable<string>, actual: Forwards): void {
    for (const address of addresses) {
      const recipients = textOf(actual.get(address) ?? []);
      this.#end(address, (one) => one.recipients !== recipients);
      const isKnown = this.#of(address).some((one) => one.recipients === recipients && one.to > this.#now());
      if (!isKnown) this.#of(address).push({ recipients, from: this.#now(), to: Number.POSITIVE_INFINITY });
    }
  }

  /** All addresses that ever were an alias. */
  addresses(): string[] {
    return [...this.#states.keys()];
  }

  /** @param trouble when the server was down, and when calls for an address went wrong */
  compare(history: readonly FakeChange[], trouble: (address: string) => readonly Span[]): ForwardingReport {
    const report: ForwardingReport = { neverWanted: [], late: [] };
    const byAddress = Map.groupBy(history, ({ address }) => address);
    for (const address of this.addresses()) {
      const changes = byAddress.get(address) ?? [];
      for (const [index, { at, isEnabled, recipients }] of changes.entries()) {
        if (!isEnabled || recipients.length === 0) continue;
        const span = { from: at, to: changes[index + 1]?.at ?? this.#now() };
        const allowed = this.#of(address).filter((one) => one.recipients === textOf(recipients));
        if (!allowed.some(({ from }) => from <= at)) report.neverWanted.push({ address, recipients, at });
        for (const stale of without(span, allowed)) {
          const lateMs = stale.to - stale.from;
          report.late.push({ address, lateMs, reachableMs: longestRest(stale, trouble(address)) });
        }
      }
    }
    return report;
  }

  #of(address: string): AllowedState[] {
    const states = this.#states.get(address) ?? [];
    this.#states.set(address, states);
    return states;
  }

  #end(address: string, isOver: (state: AllowedState) => boolean): void {
    const now = this.#now();
    for (const state of this.#of(address)) if (isOver(state)) state.to = Math.min(state.to, now);
  }
}

/** The parts of a span that no other span covers. */
function without(span: Span, others: readonly Span[]): Span[] {
  const rest: Span[] = [];
  let { from } = span;
  for (const other of others.toSorted((one, two) => one.from - two.from)) {
    if (other.to <= from) continue;
    if (other.from >= span.to) break;
    if (other.from > from) rest.push({ from, to: other.from });
    from = Math.max(from, other.to);
  }
  if (from < span.to) rest.push({ from, to: span.to });
  return rest;
}

function longestRest(span: Span, others: readonly Span[]): number {
  return Math.max(0, ...without(span, others).map(({ from, to }) => to - from));
}
