import { closeAfterEach } from "@kauke/testkit/close-after-each";
import { FakeForwardEmail } from "@kauke/testkit/fakes/fake-forward-email";
import { expect, test } from "vitest";
import type { ProviderRecord } from "../../core/forwarding/forwarding-provider.ts";
import { DOMAIN, providerOf, record, TestAlias, TestClock } from "./provider.testing.ts";

const closers = closeAfterEach();
const NAMES = ["one", "two", "three", "four"];
const MAILBOXES = ["ann@mailbox.example", "bob@mailbox.example", "eve@mailbox.example"];
const ROUNDS = 60;
const ACTS = 25;

/** Numbers from 0 to `bound` - 1, the same for each seed (LCG of Numerical Recipes). */
function dice(seed: number) {
  let state = seed;
  return (bound: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

/** An alias of ours with its row of the outbox. */
interface Row {
  alias: TestAlias;
  wanted: ProviderRecord | null;
  isRecheck: boolean;
}

async function tryRow(row: Row, isKilled = false): Promise<boolean> {
  const { isRecheck } = row;
  const brought = await row.alias.bring(row.wanted, { isRecheck, isKilled });
  row.isRecheck = !brought.isSure || (isRecheck && brought.kind === "failed");
  return !isKilled && brought.kind === "done" && brought.isSure;
}

function edited(rows: readonly Row[], row: Row, roll: (bound: number) => number): void {
  const { wanted } = row;
  if (wanted === null) return;
  const free = NAMES.filter((name) => rows.every((one) => one.wanted?.name !== name));
  const act = roll(6);
  if (act === 0) row.wanted = null;
  if (act === 1) row.wanted = { ...wanted, isEnabled: !wanted.isEnabled };
  if (act === 2) row.wanted = { ...wanted, recipients: [MAILBOXES[roll(3)] ?? ""] };
  if (act === 3) row.wanted = { ...wanted, name: free[roll(free.length)] ?? wanted.name };
  if (act === 4) row.wanted = { ...wanted, password: roll(2) === 0 ? null : `vq4T-9mZe-Xr27-${1000 + roll(9000)}` };
  const other = rows[roll(rows.length)];
  if (act !== 5 || other === undefined || other.wanted === null || other === row) return;
  const name = wanted.name;
  row.wanted = { ...wanted, name: other.wanted.name };
  other.wanted = { ...other.wanted, name };
}

test("whatever is edited, lost, late, repeated or killed, both sides agree in the end", {
  timeout: 120_000,
}, async () => {
  for (let seed = 1; seed <= ROUNDS; seed++) {
    const roll = dice(seed);
    const fake = await FakeForwardEmail.start({ domains: [DOMAIN] });
    closers.push(() => fake.close());
    const clock = new TestClock();
    fake.store.now = () => clock.ms;
    const provider = providerOf(fake, { clock });
    const rows: Row[] = [];
    const faults = [
      { kind: "lost" },
      { kind: "dropped" },
      { kind: "late", ms: 5 + roll(20) },
      { kind: "twice" },
      { kind: "status", status: 503 },
    ] as const;
    fake.faultFor(() => (roll(4) === 0 ? (faults[roll(faults.length)] ?? null) : null));
    for (let act = 0; act < ACTS; act++) {
      const free = NAMES.find((name) => rows.every(({ wanted }) => wanted?.name !== name));
      if (free !== undefined && roll(3) === 0)
        rows.push({ alias: new TestAlias(provider), wanted: record(free), isRecheck: false });
      const row = rows[roll(rows.length)];
      if (row === undefined) continue;
      edited(rows, row, roll);
      await tryRow(rows[roll(rows.length)] ?? row, roll(5) === 0);
      await tryRow(row, roll(5) === 0);
    }
    fake.faultFor(() => null);
    await fake.settled();
    let left = rows.map((row) => ({ ...row, isRecheck: true }));
    for (let tries = 0; tries < 10 && left.length > 0; tries++) {
      clock.advance(61_000);
      const isOver: boolean[] = [];
      for (const row of left) isOver.push(await tryRow(row));
      left = left.filter((_row, at) => !isOver[at]);
    }
    const shown = fake.aliases(DOMAIN).map(({ name, recipients, is_enabled, description }) => {
      return { name, recipients, is_enabled, description };
    });
    const expected = rows.flatMap(({ alias, wanted }) => {
      if (wanted === null) return [];
      const { name, recipients, isEnabled } = wanted;
      return [{ name, recipients, is_enabled: isEnabled, description: alias.mark }];
    });
    const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name);
    expect({ seed, left, aliases: shown.sort(byName) }).toEqual({ seed, left: [], aliases: expected.sort(byName) });
    for (const { wanted } of rows) {
      if (wanted === null) continue;
      const there = fake.alias(`${wanted.name}@${DOMAIN}`)?.password ?? null;
      // Without a credential, one that nobody has.
      if (wanted.password === null) expect(String(there)).not.toMatch(/^vq4T-/);
      else expect(there).toBe(wanted.password);
    }
    expect(fake.violations).toEqual([]);
  }
});
