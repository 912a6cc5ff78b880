/**
 * Rounds in which people change their aliases, the forwarding provider does calls wrong and the server is killed. At
 * the end everything calms down, and both sides are compared.
 */
import { FakeForwardEmail } from "../fakes/fake-forward-email.ts";
import { forwardThrough, providerDomains } from "../provider-run.ts";
import { makeDataDir, quickServer, type ServerProcess, startServerProcess } from "../server-process.ts";
import { AliasOwner, type OwnerParts, ServerGone, type WantedAlias } from "./alias-owner.ts";
import { type ForwardingReport, ForwardingTimeline } from "./forwarding-timeline.ts";
import type { Dice } from "./kill-moments.ts";
import { compileCache, START_MAX_MS } from "./kill-rounds.ts";
import { ProviderTrouble } from "./provider-trouble.ts";

export interface ProviderRoundsOptions {
  rounds: number;
  owners: number;
  dice: Dice;
  /** Times of the server's worker, as in `StartOverrides`; its real ones without it. */
  times: Readonly<Record<string, number>> | null;
  /** From the last restart to the last kill of a round: lowest and highest, in milliseconds. */
  livesMs: readonly [number, number];
  /** Longest time after which a call is carried out whose connection was closed, in milliseconds. */
  lateMaxMs: number;
  /** How long both sides may take to agree once nothing goes wrong any more, in milliseconds. */
  calmMaxMs: number;
  /** Called before the comparison, e.g. to change something that the comparison must find. */
  beforeComparison?: (provider: FakeForwardEmail) => void;
  onProgress?: (rounds: number) => void;
}

export interface ProviderRoundsResult extends ForwardingReport {
  /** Differences between both sides at the end, in words. */
  differences: string[];
  /** What the fake provider objected to. */
  violations: readonly string[];
  /** Acknowledged changes, by kind. */
  changes: ReadonlyMap<string, number>;
  /** Calls that went wrong, by kind. */
  faults: ReadonlyMap<string, number>;
  calls: number;
  /** How long both sides took to agree once nothing went wrong any more. */
  calmMs: number;
  aliases: number;
}

/** An alias that somebody else made at the provider. */
const foreign = { recipients: ["somebody@else.example"], description: "made by hand" };
const foreignAddresses = ["by-hand@kauke.test", "older@kauke.test"];

export async function providerRounds(options: ProviderRoundsOptions): Promise<ProviderRoundsResult> {
  await using provider = await FakeForwardEmail.start({ domains: providerDomains });
  for (const address of foreignAddresses) provider.putAlias(address, foreign);
  const run = new Rounds(provider, options);
  try {
    await run.start();
    for (let round = 1; round <= options.rounds; round++) {
      await run.round();
      options.onProgress?.(round);
    }
    return await run.end();
  } finally {
    await run.close();
  }
}

class Rounds {
  readonly #provider: FakeForwardEmail;
  readonly #options: ProviderRoundsOptions;
  readonly #timeline = new ForwardingTimeline();
  readonly #trouble: ProviderTrouble;
  readonly #parts: OwnerParts;
  #owners: AliasOwner[] = [];
  #server: ServerProcess | null = null;
  #place: Parameters<typeof startServerProcess>[0] = {};

  constructor(provider: FakeForwardEmail, options: ProviderRoundsOptions) {
    const { dice, lateMaxMs } = options;
    this.#provider = provider;
    this.#options = options;
    this.#trouble = new ProviderTrouble(provider, { dice, oneIn: 4, lateMaxMs });
    this.#parts = { url: () => this.#server?.url ?? "", timeline: this.#timeline, dice, counts: new Map() };
  }

  async start(): Promise<void> {
    const { times } = this.#options;
    this.#place = {
      dataDir: await makeDataDir(),
      program: quickServer,
      readyTimeoutMs: START_MAX_MS,
      env: {
        ...forwardThrough(this.#provider),
        KAUKE_LIMITS: "off",
        ...(times === null ? {} : { TEST_PROVIDER_TIMES: JSON.stringify(times) }),
        ...(await compileCache()),
      },
    };
    await this.#startServer();
    await this.#fillOwners();
  }

  /** People make changes until the server is killed; then it is started again. */
  async round(): Promise<void> {
    const { dice, livesMs } = this.#options;
    this.#trouble.begin();
    const isOver = { now: false };
    const work = Promise.all(this.#owners.map((owner) => this.#actUntil(owner, isOver)));
    // Awaited after the kill; until then, a failure is not unhandled.
    work.catch(() => {});
    await sleep(dice.between(...livesMs));
    const from = Date.now();
    await this.#server?.kill();
    isOver.now = true;
    await work;
    await this.#startServer();
    this.#trouble.noteDown({ from, to: Date.now() });
    for (const owner of this.#owners) await owner.resume();
    await this.#fillOwners();
  }

  async end(): Promise<ProviderRoundsResult> {
    this.#trouble.end();
    for (const owner of this.#owners) await owner.settle();
    const begun = Date.now();
    await this.#provider.settled();
    await this.#untilAgreed(begun + this.#options.calmMaxMs);
    const calmMs = Date.now() - begun;
    this.#options.beforeComparison?.(this.#provider);
    const wanted = (await Promise.all(this.#owners.map((owner) => owner.wanted()))).flat();
    return {
      ...this.#timeline.compare(this.#provider.history, (address) => this.#trouble.of(address)),
      differences: differencesOf(this.#provider, wanted),
      violations: this.#provider.violations,
      changes: this.#parts.counts,
      faults: this.#trouble.counts,
      calls: this.#provider.calls.length,
      calmMs,
      aliases: wanted.length,
    };
  }

  async close(): Promise<void> {
    await this.#server?.kill();
  }

  async #startServer(): Promise<void> {
    this.#server = await startServerProcess(this.#place);
  }

  /** Replaces people who have deleted their account. */
  async #fillOwners(): Promise<void> {
    this.#owners = this.#owners.filter(({ isGone }) => !isGone);
    while (this.#owners.length < this.#options.owners) this.#owners.push(await AliasOwner.register(this.#parts));
  }

  async #actUntil(owner: AliasOwner, isOver: { now: boolean }): Promise<void> {
    try {
      while (!isOver.now && !owner.isGone) {
        await owner.act();
        await sleep(this.#options.dice.between(0, 20));
      }
    } catch (thrown) {
      if (!(thrown instanceof ServerGone)) throw thrown;
    }
  }

  /** Nothing waits, no call has been made for a second, and no alias will be looked at again. */
  async #untilAgreed(giveUpAt: number): Promise<void> {
    const { length: callsBefore } = this.#provider.calls;
    await sleep(1000);
    const unfinished = await Promise.all(this.#owners.map((owner) => owner.unfinished()));
    const isIdle = this.#provider.calls.length === callsBefore;
    const wanted = (await Promise.all(this.#owners.map((owner) => owner.wanted()))).flat();
    const differences = differencesOf(this.#provider, wanted);
    if (isIdle && unfinished.every((count) => count === 0) && differences.length === 0) return;
    if (Date.now() > giveUpAt) return;
    await this.#untilAgreed(giveUpAt);
  }
}

/** Compares what people want with what the provider has. @returns a sentence for each difference */
export function differencesOf(provider: FakeForwardEmail, wanted: readonly WantedAlias[]): string[] {
  const ours = provider.aliases("kauke.test").filter(({ description }) => description.startsWith("kauke:"));
  const found: string[] = [];
  for (const { id, alias, active, forwardTo, lastForwardTo, providerId, password, isHeld } of wanted) {
    const copies = ours.filter(({ description }) => description === `kauke:${id}`);
    const [copy] = copies;
    if (copy === undefined || copies.length > 1) {
      found.push(`${alias} is there ${copies.length} times`);
      continue;
    }
    const say = (what: string, expected: unknown, actual: unknown) => {
      const [one, other] = [JSON.stringify(expected), JSON.stringify(actual)];
      if (one !== other) found.push(`${alias}: ${what} is ${other}, not ${one}`);
    };
    say("name", alias.toLowerCase(), copy.name);
    say("id", copy.id, providerId);
    say("is_enabled", active && !isHeld, copy.is_enabled);
    say("recipients", (active ? forwardTo : (lastForwardTo ?? "")).split(", ").sort(), [...copy.recipients].sort());
    if (!copy.is_enabled) say("code", active ? 421 : 250, copy.error_code_if_disabled);
    if (password !== null) say("password", password, copy.password);
  }
  const ids = new Set(wanted.map(({ id }) => `kauke:${id}`));
  for (const { name, description } of ours) if (!ids.has(description)) found.push(`${name} is there, and not wanted`);
  for (const address of foreignAddresses) {
    const { recipients, description, is_enabled } = provider.alias(address) ?? {};
    const isSame = JSON.stringify({ recipients, description }) === JSON.stringify(foreign) && is_enabled === true;
    if (!isSame) found.push(`${address}, which is not ours, was changed`);
  }
  const others = provider.aliases("kauke.test").length - ours.length - foreignAddresses.length;
  if (others !== 0) found.push(`${others} aliases have neither our mark nor another one's`);
  return found;
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
