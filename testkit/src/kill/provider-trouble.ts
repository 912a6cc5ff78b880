/** A provider that does some calls wrong at random, and a record of which addresses that concerned, and when. */
import type { FakeForwardEmail } from "../fakes/fake-forward-email.ts";
import type { FakeFault } from "../fakes/fake-forward-email-faults.ts";
import type { Span } from "./forwarding-timeline.ts";
import type { Dice } from "./kill-moments.ts";

interface TroubleOptions {
  dice: Dice;
  /** One call in so many goes wrong. */
  oneIn: number;
  /** Longest time after which a call is carried out whose connection was closed, in milliseconds. */
  lateMaxMs: number;
}

type Call = Parameters<Parameters<FakeForwardEmail["faultFor"]>[0]>[0];

export class ProviderTrouble {
  readonly counts = new Map<FakeFault["kind"], number>();
  readonly #provider: FakeForwardEmail;
  readonly #options: TroubleOptions;
  readonly #byAddress = new Map<string, Span[]>();
  readonly #down: Span[] = [];

  constructor(provider: FakeForwardEmail, options: TroubleOptions) {
    this.#provider = provider;
    this.#options = options;
  }

  begin(): void {
    this.#provider.faultFor((call) => this.#decide(call));
  }

  end(): void {
    this.#provider.faultFor(() => null);
  }

  /** The server did not run. */
  noteDown(span: Span): void {
    this.#down.push(span);
  }

  /** When the server was down, or calls for this address went wrong. */
  of(address: string): readonly Span[] {
    return [...this.#down, ...(this.#byAddress.get(address) ?? [])];
  }

  #decide(call: Call): FakeFault | null {
    const { dice, oneIn } = this.#options;
    if (dice.between(1, oneIn) > 1) return null;
    const fault = this.#fault();
    this.counts.set(fault.kind, (this.counts.get(fault.kind) ?? 0) + 1);
    const lastsMs = fault.kind === "late" || fault.kind === "slow" ? fault.ms : 0;
    const span = { from: Date.now(), to: Date.now() + lastsMs };
    for (const address of this.#addressesOf(call)) {
      this.#byAddress.set(address, [...(this.#byAddress.get(address) ?? []), span]);
    }
    return fault;
  }

  #fault(): FakeFault {
    const { dice, lateMaxMs } = this.#options;
    const faults: (() => FakeFault)[] = [
      () => ({ kind: "slow", ms: dice.between(50, 400) }),
      () => ({ kind: "lost" }),
      () => ({ kind: "dropped" }),
      () => ({ kind: "late", ms: dice.between(1, lateMaxMs) }),
      () => ({ kind: "late", ms: dice.between(1, lateMaxMs) }),
      () => ({ kind: "twice" }),
      () => ({ kind: "status", status: dice.oneOf([500, 502, 503]) }),
      () => ({ kind: "status", status: 429, body: "Too many", headers: { "retry-after": "1" } }),
    ];
    return dice.oneOf(faults)();
  }

  /** Addresses that the call reads or changes: of the alias as it is, and as the call renames it. */
  #addressesOf({ path, body }: Call): string[] {
    const [, domain = "", idOrName] =
      /\/domains\/([^/]+)\/aliases(?:\/([^/]+))?/.exec(path)?.map(decodeURIComponent) ?? [];
    const { name } = (body ?? {}) as { name?: string };
    const known = this.#provider.aliases(domain).find(({ id }) => id === idOrName)?.name ?? idOrName;
    return [known, name].flatMap((one) => (one === undefined ? [] : [`${one}@${domain}`]));
  }
}
