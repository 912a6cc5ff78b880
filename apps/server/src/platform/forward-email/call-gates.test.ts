import { closeAfterEach } from "@kauke/testkit/close-after-each";
import { FakeForwardEmail } from "@kauke/testkit/fakes/fake-forward-email";
import { expect, test } from "vitest";
import { bounds } from "../../limits/table.ts";
import { DOMAIN, providerOf, record, TestAlias, TestClock } from "./provider.testing.ts";

const closers = closeAfterEach();
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

async function start() {
  const fake = await FakeForwardEmail.start({ domains: [DOMAIN] });
  closers.push(() => fake.close());
  const clock = new TestClock();
  fake.store.now = () => clock.ms;
  fake.store.limits = { generatePassword: 50 };
  return { fake, clock, provider: providerOf(fake, { clock }) };
}

test("an account that regenerates its password again and again leaves the others theirs", async () => {
  const { clock, provider } = await start();
  const [greedy, quiet] = [new TestAlias(provider, "greedy"), new TestAlias(provider, "quiet")];
  let passwords = 0;
  const regenerate = (alias: TestAlias, name: string) =>
    alias.bring(record(name, { password: `vq4T-9mZe-Xr27-${1000 + passwords++}` }));
  const untilBusy = async (): Promise<number> => {
    for (let done = 0; ; done++) if ((await regenerate(greedy, "greedy")).kind === "failed") return done;
  };
  expect(await untilBusy()).toBe(50);
  expect(await regenerate(quiet, "quiet")).toMatchObject({ problem: "busy" });
  for (let days = 1; days <= 3; days++) {
    clock.advance(DAY_MS);
    expect(await untilBusy()).toBeLessThanOrEqual(bounds.providerCalls.passwords);
    expect(await regenerate(quiet, "quiet")).toMatchObject({ kind: "done" });
  }
});

test("an account alone may have all that the provider allows, each day", async () => {
  const { fake, clock, provider } = await start();
  fake.store.limits = { createAlias: 150 };
  for (let days = 1; days <= 2; days++) {
    for (let made = 0; ; made++) {
      const brought = await new TestAlias(provider).bring(record(`a${days}-${made}`));
      if (brought.kind === "done") continue;
      expect(made).toBe(150);
      break;
    }
    clock.advance(DAY_MS);
  }
});
