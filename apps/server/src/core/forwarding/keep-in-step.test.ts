import { describe, expect, test } from "vitest";
import { anAlias } from "../../store/rows.testing.ts";
import type { Alias, AliasRoute } from "../alias/alias.ts";
import { aliasAddress } from "../alias/alias.ts";
import { type BringInput, type Brought, type KnownRecord, nothingKnown } from "./forwarding-provider.ts";
import { keepInStep, type StepDeps } from "./keep-in-step.ts";
import type { ClaimedAlias, ClaimOutcome } from "./provider-alias.ts";

const NOW = new Date("2026-03-01T12:00:00.000Z");
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);
const { signal } = new AbortController();
const there: KnownRecord = { providerId: "id", address: "shop@kauke.test", mark: "m", passwordMark: null };

interface Situation {
  claimed?: Partial<ClaimedAlias>;
  alias?: Alias | null;
  /** Id of the alias that has the address, at each read in turn. */
  owners?: readonly string[];
  brought?: Partial<Brought>;
}

async function step(situation: Situation = {}) {
  const { claimed, alias = anAlias("user"), owners = [], brought } = situation;
  const outcomes: ClaimOutcome[] = [];
  const inputs: BringInput[] = [];
  const left = [...owners];
  const deps = {
    clock: { now: () => NOW },
    confirmation: null,
    aliases: {
      find: async () => alias,
      findRoute: async (address: string) => {
        if (alias === null || address !== aliasAddress(alias.name, alias.domain)) return null;
        const aliasId = left.shift() ?? alias.id;
        const destinations = alias.routing.state === "active" ? alias.routing.destinations : [];
        return { aliasId, destinations, paused: false, ageRecipient: null } as unknown as AliasRoute;
      },
    },
    smtpCredentials: { readPassword: async () => "secret" },
    providerAliases: {
      note: async () => true,
      settle: async (_claimed: ClaimedAlias, outcome: ClaimOutcome) => void outcomes.push(outcome),
    },
    provider: {
      bring: async (input: BringInput) => {
        inputs.push(input);
        return { kind: "done", isSure: true, known: there, ...brought };
      },
    },
  } as unknown as StepDeps;
  const row = {
    aliasId: alias?.id ?? "gone",
    userId: "user",
    lease: "lease",
    version: 3,
    tries: 0,
    known: nothingKnown,
  };
  await keepInStep(deps, { ...row, isRecheck: false, wasInterrupted: false, ...claimed }, signal);
  return { input: inputs[0], outcome: outcomes[0], outcomes, calls: inputs.length };
}

const failed = (problem: string, retryAfterSeconds: number | null = null) =>
  ({ kind: "failed", problem, retryAfterSeconds }) as Partial<Brought>;

describe("one change", () => {
  test("is carried out as the alias is now, with its password", async () => {
    const { input, outcomes } = await step();
    expect(input).toMatchObject({ known: nothingKnown, isRecheck: false });
    expect(input?.wanted).toMatchObject({ isEnabled: true, recipients: ["ann@example.org"], password: "secret" });
    expect(outcomes).toEqual([{ kind: "done", known: there, recheckAt: null, held: null }]);
  });

  test("of an alias that is deleted leaves nothing", async () => {
    const { input, outcome } = await step({ alias: null, brought: { known: nothingKnown } });
    expect(input?.wanted).toBeNull();
    expect(outcome).toEqual({ kind: "gone", known: nothingKnown, recheckAt: null });
  });

  test("is read again when the address changes hands between two reads", async () => {
    const { calls, outcome } = await step({ owners: ["other", "other"] });
    expect([calls, outcome?.kind]).toEqual([1, "done"]);
  });

  test("waits, without a call, for an address that keeps changing hands", async () => {
    const { calls, outcome } = await step({ owners: ["other", "other", "other"] });
    expect(calls).toBe(0);
    expect(outcome).toMatchObject({ kind: "failed", problem: "busy", notBefore: later(2), recheckAt: null });
  });
});

describe("a look again", () => {
  test.each([
    ["after an uncertain call", {}, { isSure: false }, 60],
    ["after a process was killed", { wasInterrupted: true }, {}, 60],
    ["not after a sure one", {}, {}, null],
    ["not after that look", { isRecheck: true }, {}, null],
    ["after that look failed", { isRecheck: true }, failed("unreachable"), 60],
    ["not after that look found a conflict", { isRecheck: true }, failed("conflict"), null],
  ])("%s", async (_what, claimed, brought, seconds) => {
    const { input, outcome } = await step({ claimed, brought });
    expect(outcome?.recheckAt).toEqual(seconds === null ? null : later(seconds));
    expect(input?.isRecheck).toBe(Object.keys(claimed).length > 0);
  });

  test("follows a wait for an address, too", async () => {
    const { outcome } = await step({ claimed: { isRecheck: true }, owners: ["other", "other", "other"] });
    expect(outcome?.recheckAt).toEqual(later(60));
  });
});

describe("the next try", () => {
  test.each([
    ["two seconds after the first", 0, failed("unreachable"), 2],
    ["later each time", 3, failed("timed_out"), 16],
    ["at most a minute later", 2000, failed("broken_response"), 60],
    ["at most an hour later when only a person can mend it", 2000, failed("conflict"), 3600],
    ["when the provider says", 0, failed("busy", 600), 600],
  ])("%s", async (_what, tries, brought, seconds) => {
    const { outcome } = await step({ claimed: { tries }, brought });
    expect(outcome).toMatchObject({ kind: "failed", notBefore: later(seconds) });
  });
});
