/** The adapter against the fake provider, with one alias' row kept as the outbox keeps it. */
import type { FakeForwardEmail } from "@kauke/testkit/fakes/fake-forward-email";
import type { Brought, KnownRecord, ProviderRecord } from "../../core/forwarding/forwarding-provider.ts";
import { nothingKnown } from "../../core/forwarding/forwarding-provider.ts";
import { bounds } from "../../limits/table.ts";
import type { Resolver } from "../../mail/dns/resolver.ts";
import { parseAllowList } from "../../mail/transport/address-guard.ts";
import { guardedCall } from "../../mail/transport/guarded-call.ts";
import { systemRandom } from "../../runtime/ports.ts";
import { forwardEmailProvider } from "./forward-email.ts";

export const DOMAIN = "kauke.example";

export class TestClock {
  ms = Date.now();
  now = () => new Date(this.ms);
  advance(ms: number): void {
    this.ms += ms;
  }
}

/** @param options `callMs`: how long one call may take */
export function providerOf(
  fake: Pick<FakeForwardEmail, "url" | "key">,
  { clock = new TestClock(), callMs = 5000 } = {},
) {
  const rules = { resolver: {} as Resolver, allow: parseAllowList(["127.0.0.1"]) };
  const call = guardedCall(rules, { callMs, responseBytes: bounds.providerCalls.responseBytes });
  return forwardEmailProvider(call, { url: new URL(fake.url), key: fake.key, clock, random: systemRandom });
}

export function record(name: string, changes: Partial<ProviderRecord> = {}): ProviderRecord {
  return {
    name,
    domain: DOMAIN,
    recipients: ["ann@mailbox.example"],
    isEnabled: true,
    codeIfDisabled: 250,
    password: null,
    held: null,
    ...changes,
  };
}

export class TestAlias {
  readonly aliasId = systemRandom.uuid();
  known: KnownRecord = nothingKnown;
  wasInterrupted = false;
  readonly #provider: ReturnType<typeof providerOf>;
  readonly #userId: string;

  constructor(provider: ReturnType<typeof providerOf>, userId = "one-account") {
    this.#provider = provider;
    this.#userId = userId;
  }

  get mark(): string {
    return `kauke:${this.aliasId}`;
  }

  /** One try. @param options `isKilled`: the process ends after the calls, before anything is stored */
  async bring(
    wanted: ProviderRecord | null,
    { isRecheck = false, isKilled = false, signal = new AbortController().signal } = {},
  ): Promise<Brought> {
    const brought = await this.#provider.bring(
      {
        aliasId: this.aliasId,
        userId: this.#userId,
        wanted,
        known: this.known,
        isRecheck: isRecheck || this.wasInterrupted,
        note: async (known) => {
          this.known = known;
          return true;
        },
      },
      signal,
    );
    this.wasInterrupted = isKilled;
    if (!isKilled) this.known = brought.known;
    return brought;
  }
}
