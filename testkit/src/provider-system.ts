/** The system with a forwarding provider in place of our own engine, as on a machine without port 25. */
import type { ForwardingWire } from "@kauke/contract";
import { FakeForwardEmail, type FakeForwardEmailOptions } from "./fakes/fake-forward-email.ts";
import { type Person, registerPerson } from "./person.ts";
import { forwardThrough, providerDomains } from "./provider-run.ts";
import { type SystemOptions, startSystem, type TestSystem } from "./system.ts";

export interface ProviderSystem {
  provider: FakeForwardEmail;
  system: TestSystem;
  person: Person;
  close(): Promise<void>;
}

export interface ProviderOptions extends SystemOptions {
  fake?: FakeForwardEmailOptions;
}

export async function startProviderSystem({ fake, env, ...options }: ProviderOptions = {}): Promise<ProviderSystem> {
  await using starting = new AsyncDisposableStack();
  const provider = starting.use(await FakeForwardEmail.start({ domains: providerDomains, ...fake }));
  // Nothing asks for confirmation while the limits are off.
  const limits: Record<string, string> = options.confirmation === true ? {} : { KAUKE_LIMITS: "off" };
  const system = await startSystem({ ...options, env: { ...forwardThrough(provider), ...limits, ...env } });
  starting.defer(() => system.close());
  const person = await registerPerson(system.url);
  const started = starting.move();
  return { provider, system, person, close: () => started.disposeAsync() };
}

/** What a person sees of their aliases that the provider does not have as wanted. */
export async function forwardingOf(person: Person): Promise<ForwardingWire> {
  return (await person.call("GET", "/api/forwarding")).body as ForwardingWire;
}

/** Waits until the provider has all aliases of this person as wanted, or those that are held switched off. */
export async function untilSetUp(person: Person, timeoutMs = 10_000): Promise<void> {
  const giveUpAt = Date.now() + timeoutMs;
  for (;;) {
    const { counts } = await forwardingOf(person);
    if (counts.waiting + counts.failed === 0) return;
    if (Date.now() > giveUpAt) throw new Error(`not set up in time: ${JSON.stringify(await forwardingOf(person))}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
