import { closeAfterEach } from "@kauke/testkit/close-after-each";
import { FakeForwardEmail } from "@kauke/testkit/fakes/fake-forward-email";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DOMAIN, providerOf, record, TestAlias, TestClock } from "./provider.testing.ts";

const FIRST = "vq4T-9mZe-Xr27-hKp8-Wd3n-6bYs";
const SECOND = "2bcD-efGh-jkMn-pqRs-tuVw-xyZ3";

const closers = closeAfterEach();
let fake: FakeForwardEmail;
let clock: TestClock;
let alias: TestAlias;

beforeEach(async () => {
  fake = await FakeForwardEmail.start({ domains: [DOMAIN] });
  closers.push(() => fake.close());
  clock = new TestClock();
  fake.store.now = () => clock.ms;
  alias = new TestAlias(providerOf(fake, { clock }));
});
afterEach(() => expect(fake.violations).toEqual([]));

const there = () => fake.aliases(DOMAIN)[0]?.password;
const generations = () => fake.calls.filter(({ path }) => path.endsWith("/generate-password"));

describe("passwords", () => {
  test("ours is set, replaced, and overwritten by one that nobody has when the credential goes", async () => {
    expect(await alias.bring(record("shop", { password: FIRST }))).toMatchObject({ kind: "done", isSure: true });
    expect(there()).toBe(FIRST);
    expect(generations()[0]?.body).toEqual({ new_password: FIRST, is_override: "true" });
    await alias.bring(record("shop", { password: SECOND }));
    expect(there()).toBe(SECOND);
    expect(await alias.bring(record("shop"))).toMatchObject({ kind: "done", known: { passwordMark: null } });
    expect([FIRST, SECOND]).not.toContain(there());
    expect(generations()).toHaveLength(3);
    await alias.bring(record("shop"), { isRecheck: true });
    expect(generations()).toHaveLength(3);
  });

  test("a copy that is made anew gets it again", async () => {
    await alias.bring(record("shop", { password: FIRST }));
    fake.removeAlias(`shop@${DOMAIN}`);
    await alias.bring(record("shop", { password: FIRST }), { isRecheck: true });
    expect(there()).toBe(FIRST);
  });

  test("one whose response was lost is overwritten when the credential has gone meanwhile", async () => {
    fake.faultFor(({ path }) => (path.endsWith("/generate-password") ? { kind: "lost" } : null));
    expect(await alias.bring(record("shop", { password: FIRST }))).toMatchObject({ kind: "failed", isSure: false });
    fake.faultFor(() => null);
    expect(there()).toBe(FIRST);
    expect(await alias.bring(record("shop"))).toMatchObject({ kind: "done" });
    expect(there()).not.toBe(FIRST);
  });

  test("one that is set after its successor is replaced at the next look", async () => {
    fake.faultFor(({ path }) => (path.endsWith("/generate-password") ? { kind: "late", ms: 100 } : null));
    await alias.bring(record("shop", { password: FIRST }));
    fake.faultFor(() => null);
    expect(await alias.bring(record("shop", { password: SECOND }))).toMatchObject({ kind: "done", isSure: false });
    await fake.settled();
    expect(there()).toBe(FIRST);
    clock.advance(60_001);
    const brought = await alias.bring(record("shop", { password: SECOND }), { isRecheck: true });
    expect(brought).toMatchObject({ kind: "done", isSure: true });
    expect(there()).toBe(SECOND);
  });

  test("a process killed before the response leaves no password that it does not know of", async () => {
    await alias.bring(record("shop"));
    await alias.bring(record("shop", { password: FIRST }), { isKilled: true });
    await alias.bring(record("shop"));
    expect(there()).not.toBe(FIRST);
  });

  test.each([
    ["another password", (body: object) => ({ ...body, username: `shop@${DOMAIN}`, password: "chosen-by-another" })],
    ["another address", () => ({ username: `other@${DOMAIN}`, password: FIRST })],
    ["a sentence", () => ({ emailed_instructions: "sent" })],
  ])("a response with %s is not believed", async (_what, respond) => {
    fake.faultFor(({ path }) =>
      path.endsWith("/generate-password") ? { kind: "status", status: 200, body: respond({}) } : null,
    );
    const brought = await alias.bring(record("shop", { password: FIRST }));
    expect(brought).toMatchObject({ kind: "failed", problem: "broken_response", isSure: false });
    expect(JSON.stringify(brought)).not.toContain("chosen-by-another");
  });
});

describe("limits of the provider", () => {
  test.each(["delay", "time"] as const)("too many creations pause creations only (%s)", async (form) => {
    fake.retryAfter = form;
    fake.store.limits = { createAlias: 1 };
    fake.store.limitWindowMs = 600_000;
    const provider = providerOf(fake, { clock });
    const [one, other, third] = [new TestAlias(provider), new TestAlias(provider), new TestAlias(provider)];
    await one.bring(record("one"));
    const brought = await other.bring(record("other"));
    expect(brought).toMatchObject({ kind: "failed", problem: "busy", retryAfterSeconds: 600, isSure: true });
    const calls = fake.calls.length;
    clock.advance(1000);
    expect(await third.bring(record("third"))).toMatchObject({ problem: "busy", retryAfterSeconds: 599, isSure: true });
    expect(fake.calls).toHaveLength(calls);
    expect(await one.bring(record("one", { isEnabled: false, password: FIRST }))).toMatchObject({ kind: "done" });
    expect(await one.bring(null)).toMatchObject({ kind: "done" });
    clock.advance(600_000);
    expect(await other.bring(record("other"))).toMatchObject({ kind: "done" });
  });

  test("too many passwords pause passwords only", async () => {
    fake.store.limits = { generatePassword: 0 };
    const provider = providerOf(fake, { clock });
    const [one, other] = [new TestAlias(provider), new TestAlias(provider)];
    // A day is clamped to an hour.
    const brought = await one.bring(record("one", { password: FIRST }));
    expect(brought).toMatchObject({ problem: "busy", retryAfterSeconds: 3600, isSure: true });
    expect(await other.bring(record("other"))).toMatchObject({ kind: "done" });
    expect(await other.bring(record("other", { password: FIRST, isEnabled: false }))).toMatchObject({
      problem: "busy",
    });
    expect(generations()).toHaveLength(1);
    expect(fake.alias(`other@${DOMAIN}`)).toMatchObject({ is_enabled: false });
    fake.store.limits = {};
    clock.advance(3_600_000);
    await one.bring(record("one", { password: FIRST }));
    expect(fake.alias(`one@${DOMAIN}`)?.password).toBe(FIRST);
  });

  test.each([
    ["0", 1],
    ["12.5", 13],
    ["99999999", 3600],
    ["-5", 60],
    ["soon", 60],
    [undefined, 60],
  ])("Retry-After %s is a wait of %i seconds", async (given, seconds) => {
    const headers: Record<string, string> = given === undefined ? {} : { "retry-after": given };
    fake.faultFor(() => ({ kind: "status", status: 429, headers }));
    expect(await alias.bring(record("shop"))).toMatchObject({ problem: "busy", retryAfterSeconds: seconds });
  });
});
