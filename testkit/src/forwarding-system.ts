/**
 * The system with the hosts around it that a test of forwarded mail needs: an MX that receives all mail it sends, a
 * webhook endpoint, and a person with an account.
 */
import type { Resolver } from "@kauke/server/mail/dns/resolver";
import { afterAll } from "vitest";
import { FakeMx, type FakeMxOptions } from "./fakes/fake-mx.ts";
import { FakeWebhook } from "./fakes/fake-webhook.ts";
import { type Person, registerPerson } from "./person.ts";
import { relayTo, type SystemOptions, startSystem, type TestSystem } from "./system.ts";

export interface ForwardingOptions extends SystemOptions {
  mx?: FakeMxOptions;
  /** DNS in which incoming mail is authenticated; without it, mail is not authenticated. */
  dns?: Resolver;
  /** E-mail address of the person's account. */
  email?: string;
}

export interface ForwardingSystem extends AsyncDisposable {
  /** The destination of all outgoing messages. */
  mx: FakeMx;
  /** A webhook endpoint that the system may call although its address is a loopback address. */
  hook: FakeWebhook;
  system: TestSystem;
  person: Person;
  close(): Promise<void>;
}

/**
 * Starts the system for all tests of a file, and closes it after the last of them. Called at the top level of the file.
 */
export async function setUpForwarding(options?: ForwardingOptions): Promise<ForwardingSystem> {
  const started = await startForwardingSystem(options);
  afterAll(started.close);
  return started;
}

/** Starts a forwarding system. @param options settings in `env` replace those that all forwarding systems share */
export async function startForwardingSystem({
  mx: mxOptions,
  dns,
  email,
  env,
  overrides,
  confirmation,
}: ForwardingOptions = {}): Promise<ForwardingSystem> {
  // Closes what has been started if a later step fails.
  await using starting = new AsyncDisposableStack();
  const mx = starting.use(await FakeMx.start(mxOptions));
  const hook = starting.use(await FakeWebhook.start());
  const system = await startSystem({
    env: {
      ...relayTo(mx),
      KAUKE_WEBHOOK_ALLOW: "127.0.0.1",
      KAUKE_AUTHENTICATION: dns === undefined ? "off" : "on",
      ...env,
    },
    overrides: { ...(dns === undefined ? {} : { resolver: dns }), ...overrides },
    confirmation,
  });
  starting.defer(() => system.close());
  const person = await registerPerson(system.url, email);
  const started = starting.move();
  const close = () => started.disposeAsync();
  return { mx, hook, system, person, close, [Symbol.asyncDispose]: close };
}
