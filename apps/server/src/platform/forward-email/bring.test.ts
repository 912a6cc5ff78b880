import { closeAfterEach } from "@kauke/testkit/close-after-each";
import { FakeForwardEmail } from "@kauke/testkit/fakes/fake-forward-email";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DOMAIN, providerOf, record, TestAlias, TestClock } from "./provider.testing.ts";

const closers = closeAfterEach();
let fake: FakeForwardEmail;
let clock: TestClock;
let provider: ReturnType<typeof providerOf>;
let alias: TestAlias;

beforeEach(async () => {
  fake = await FakeForwardEmail.start({ domains: [DOMAIN] });
  closers.push(() => fake.close());
  clock = new TestClock();
  fake.store.now = () => clock.ms;
  provider = providerOf(fake, { clock });
  alias = new TestAlias(provider);
});
afterEach(() => expect(fake.violations).toEqual([]));

const made = (from = 0) => fake.calls.slice(from).map(({ method, path }) => `${method} ${path.split("/").at(-1)}`);
const at = (name: string) => fake.alias(`${name}@${DOMAIN}`);
const others = { recipients: ["else@mailbox.example"] };

describe("without trouble", () => {
  test("an alias is created with all fields and our mark, in one call", async () => {
    expect(await alias.bring(record("shop"))).toMatchObject({ kind: "done", isSure: true });
    expect(made()).toEqual(["POST aliases"]);
    expect(fake.calls[0]?.body).toEqual({
      name: "shop",
      recipients: ["ann@mailbox.example"],
      description: alias.mark,
      labels: [],
      is_enabled: true,
      error_code_if_disabled: 250,
      has_recipient_verification: false,
      has_imap: false,
    });
    expect(alias.known).toMatchObject({ providerId: at("shop")?.id, address: `shop@${DOMAIN}`, passwordMark: null });
  });

  test("nothing is called when nothing has changed", async () => {
    await alias.bring(record("shop"));
    expect(await alias.bring(record("shop"))).toMatchObject({ kind: "done", isSure: true });
    expect(made()).toHaveLength(1);
  });

  test.each([
    ["recipients", { recipients: ["ann@mailbox.example", "https://hooks.example/in"] }],
    ["pause", { isEnabled: false }],
    ["being held", { isEnabled: false, codeIfDisabled: 421 }],
    ["name", { name: "store" }],
  ] as const)("an edit of its %s is one call by id", async (_what, change) => {
    await alias.bring(record("shop"));
    const id = at("shop")?.id;
    expect(await alias.bring(record("shop", change))).toMatchObject({ kind: "done", isSure: true });
    expect(made(1)).toEqual([`PUT ${id}`]);
    const { name, recipients, isEnabled, codeIfDisabled } = record("shop", change);
    const copy = { id, name, recipients, is_enabled: isEnabled, error_code_if_disabled: codeIfDisabled };
    expect(fake.aliases(DOMAIN)).toMatchObject([{ ...copy, description: alias.mark }]);
  });

  test("a deletion switches the copy off first", async () => {
    await alias.bring(record("shop"));
    const id = at("shop")?.id;
    expect(await alias.bring(null)).toMatchObject({ kind: "done", isSure: true });
    expect(made(1)).toEqual([`GET ${id}`, `PUT ${id}`, `DELETE ${id}`]);
    expect(fake.aliases(DOMAIN)).toEqual([]);
  });

  test("an alias that never was there needs no call to be gone", async () => {
    expect(await alias.bring(null)).toMatchObject({ kind: "done", isSure: true });
    expect(made()).toEqual([]);
  });

  test("a deletion that the provider refuses for days leaves it off, and is tried again", async () => {
    await alias.bring(record("shop"));
    fake.store.refusesDeletion = true;
    expect(await alias.bring(null)).toMatchObject({ kind: "failed", problem: "refused", isSure: true });
    expect(at("shop")).toMatchObject({ is_enabled: false, error_code_if_disabled: 550 });
    fake.store.refusesDeletion = false;
    expect(await alias.bring(null)).toMatchObject({ kind: "done" });
    expect(at("shop")).toBeUndefined();
  });

  test("a copy that somebody deleted there is made anew, and one that is changed there is set right at a look", async () => {
    await alias.bring(record("shop"));
    fake.removeAlias(`shop@${DOMAIN}`);
    expect(await alias.bring(record("shop"), { isRecheck: true })).toMatchObject({ kind: "done" });
    fake.putAlias(`shop@${DOMAIN}`, { recipients: ["thief@mailbox.example"] });
    expect(await alias.bring(record("shop"), { isRecheck: true })).toMatchObject({ kind: "done", isSure: true });
    expect(at("shop")?.recipients).toEqual(["ann@mailbox.example"]);
  });
});

describe("names", () => {
  test("two aliases can swap their names", async () => {
    const other = new TestAlias(provider);
    await alias.bring(record("one"));
    await other.bring(record("two", others));
    expect(await alias.bring(record("two"))).toMatchObject({ kind: "failed", problem: "busy" });
    // It has left its old name, so the other can have it.
    expect(await other.bring(record("one", others))).toMatchObject({ kind: "done" });
    expect(await alias.bring(record("two"))).toMatchObject({ kind: "done" });
    expect(at("one")).toMatchObject({ description: other.mark, ...others });
    expect(at("two")).toMatchObject({ description: alias.mark, recipients: ["ann@mailbox.example"] });
    expect(fake.aliases(DOMAIN)).toHaveLength(2);
  });

  test("a name that an alias of ours is about to leave is waited for", async () => {
    const former = new TestAlias(provider);
    await former.bring(record("shop", others));
    expect(await alias.bring(record("shop"))).toMatchObject({ kind: "failed", problem: "busy" });
    expect(at("shop")).toMatchObject({ description: former.mark });
    await former.bring(null);
    expect(await alias.bring(record("shop"))).toMatchObject({ kind: "done" });
  });

  test("somebody else's alias with the same recipients is adopted by writing our mark", async () => {
    const { id } = fake.putAlias(`shop@${DOMAIN}`, { recipients: ["b@mailbox.example", "ann@mailbox.example"] });
    const wanted = record("shop", { recipients: ["Ann@mailbox.example", "b@mailbox.example"] });
    expect(await alias.bring(wanted)).toMatchObject({ kind: "done", known: { providerId: id } });
    expect(made()).toEqual(["POST aliases", "GET shop", `PUT ${id}`]);
    expect(fake.aliases(DOMAIN)).toMatchObject([{ id, description: alias.mark }]);
  });

  test.each([
    ["an unconfirmed mailbox", { codeIfDisabled: 421, held: "unconfirmed" }],
    ["a pause", {}],
  ] as const)("somebody else's alias is not switched off by who only names its recipients, with %s", async (_, off) => {
    const id = fake.putAlias(`info@${DOMAIN}`, { recipients: ["ann@mailbox.example"] }).id;
    const wanted = record("info", { isEnabled: false, ...off });
    expect(await alias.bring(wanted)).toMatchObject({ kind: "failed", problem: "conflict" });
    expect(at("info")).toMatchObject({ id, is_enabled: true });
    expect(at("info")?.description).not.toBe(alias.mark);
    await alias.bring(record("info", others));
    expect(at("info")).toMatchObject({ id, recipients: ["ann@mailbox.example"] });
  });

  test.each([
    ["other recipients", others],
    ["the same recipients that stores mail (IMAP)", { recipients: ["ann@mailbox.example"], has_imap: true }],
    ["the same recipients that is off", { recipients: ["ann@mailbox.example"], is_enabled: false }],
  ])("somebody else's alias with %s is a conflict, untouched and not created at again", async (_what, fields) => {
    const there = { ...fake.putAlias(`shop@${DOMAIN}`, fields) };
    for (const calls of [["POST aliases", "GET shop"], ["GET shop"]]) {
      const before = fake.calls.length;
      expect(await alias.bring(record("shop"))).toMatchObject({ kind: "failed", problem: "conflict", isSure: true });
      expect(made(before)).toEqual(calls);
    }
    await alias.bring(null);
    expect(at("shop")).toEqual(there);
  });

  test("a rename to somebody else's address ends forwarding from the old one", async () => {
    await alias.bring(record("shop"));
    fake.putAlias(`taken@${DOMAIN}`, others);
    expect(await alias.bring(record("taken"))).toMatchObject({ kind: "failed", problem: "conflict" });
    expect(at("shop")).toBeUndefined();
    expect(at("taken")).toMatchObject(others);
  });

  test("a name that could be read as an id is refused without a call", async () => {
    expect(await alias.bring(record("0123456789abcdef01234567"))).toMatchObject({ problem: "refused" });
    expect(made()).toEqual([]);
    await alias.bring(record("shop"));
    expect(await alias.bring(record("0123456789abcdef01234567"))).toMatchObject({ problem: "refused" });
    expect(fake.aliases(DOMAIN)).toEqual([]);
  });
});

describe("what the provider refuses", () => {
  test("an edit that is refused switches off a copy that has a former recipient", async () => {
    await alias.bring(record("shop"));
    const wanted = record("shop", { recipients: ["no-address"] });
    fake.checkSchemas = false;
    expect(await alias.bring(wanted)).toMatchObject({ kind: "failed", problem: "refused", isSure: true });
    expect(at("shop")).toMatchObject({ is_enabled: false, error_code_if_disabled: 421 });
    fake.checkSchemas = true;
    expect(await alias.bring(record("shop"))).toMatchObject({ kind: "done" });
    expect(at("shop")).toMatchObject({ is_enabled: true });
  });

  test("an edit that is refused and only adds a recipient leaves the copy on", async () => {
    await alias.bring(record("shop"));
    const many = Array.from({ length: 11 }, (_, index) => `a${index}@mailbox.example`);
    const wanted = record("shop", { recipients: ["ann@mailbox.example", ...many] });
    expect(await alias.bring(wanted)).toMatchObject({ kind: "failed", problem: "refused" });
    expect(at("shop")).toMatchObject({ is_enabled: true });
  });

  test("a creation that is refused for another reason than its name is no conflict", async () => {
    const many = Array.from({ length: 11 }, (_, index) => `a${index}@mailbox.example`);
    const wanted = record("shop", { recipients: many });
    expect(await alias.bring(wanted)).toMatchObject({ kind: "failed", problem: "refused", isSure: true });
  });

  test("a domain that the account does not have", async () => {
    const wanted = record("shop", { domain: "absent.example" });
    expect(await alias.bring(wanted)).toMatchObject({ problem: "domain_missing", isSure: true });
  });

  test("the key and the plan", async () => {
    const stranger = new TestAlias(providerOf({ url: fake.url, key: "another-key" }));
    expect(await stranger.bring(record("shop"))).toMatchObject({ problem: "key_refused", isSure: true });
    fake.domain(DOMAIN).plan = "free";
    expect(await alias.bring(record("shop"))).toMatchObject({ problem: "plan_needed", isSure: true });
  });
});

describe("uncertain calls", () => {
  const faults = [{ kind: "lost" }, { kind: "dropped" }, { kind: "late", ms: 30 }, { kind: "twice" }] as const;
  const acts = [
    ["create", null, record("shop", { password: "vq4T-9mZe-Xr27-hKp8" })],
    ["edit", record("shop"), record("shop", { recipients: ["b@mailbox.example"] })],
    ["rename", record("shop"), record("store")],
    ["delete", record("shop"), null],
    ["password", record("shop"), record("shop", { password: "vq4T-9mZe-Xr27-hKp8" })],
  ] as const;
  const cases = acts.flatMap(([act, before, after]) => faults.map((fault) => ({ act, before, after, fault })));

  test.each(cases)("$act, with $fault.kind responses at each call in turn", async ({ before, after, fault }) => {
    for (let failing = 0; failing < 4; failing++) {
      const { aliasId } = (alias = new TestAlias(provider));
      if (before !== null) await alias.bring(before);
      const first = fake.calls.length + failing;
      fake.faultFor(() => (fake.calls.length - 1 === first ? fault : null));
      let brought = await alias.bring(after);
      await fake.settled();
      for (let tries = 0; tries < 5 && (brought.kind !== "done" || !brought.isSure); tries++) {
        clock.advance(61_000);
        brought = await alias.bring(after, { isRecheck: true });
      }
      expect(brought).toMatchObject({ kind: "done", isSure: true });
      const mine = fake.aliases(DOMAIN).filter(({ description }) => description === `kauke:${aliasId}`);
      const wanted = { name: after?.name, recipients: after?.recipients, password: after?.password };
      expect(mine).toMatchObject(after === null ? [] : [wanted]);
      fake.faultFor(() => null);
      await alias.bring(null);
    }
    expect(fake.aliases(DOMAIN)).toEqual([]);
  });

  test("a process killed after any call finds what it left", async () => {
    for (const after of [record("shop"), record("store"), record("store", { isEnabled: false }), null]) {
      await alias.bring(after, { isKilled: true });
      expect(await alias.bring(after)).toMatchObject({ kind: "done" });
      expect(fake.aliases(DOMAIN)).toHaveLength(after === null ? 0 : 1);
    }
  });

  test("after a creation whose response was lost, a rename looks at both names", async () => {
    fake.faultFor(({ method }) => (method === "POST" ? { kind: "lost" } : null));
    expect(await alias.bring(record("shop"))).toMatchObject({ kind: "failed", isSure: false });
    fake.faultFor(() => null);
    const id = at("shop")?.id;
    expect(await alias.bring(record("store"))).toMatchObject({ kind: "done" });
    expect(made(1)).toEqual(["GET store", "GET shop", `PUT ${id}`]);
    expect(fake.aliases(DOMAIN)).toMatchObject([{ id, name: "store" }]);
  });

  test("a creation that is carried out after a rename is removed at the next look", async () => {
    fake.faultFor(({ method }) => (method === "POST" ? { kind: "late", ms: 100 } : null));
    await alias.bring(record("shop"));
    fake.faultFor(() => null);
    expect(await alias.bring(record("store"))).toMatchObject({ kind: "done", isSure: false });
    await fake.settled();
    expect(fake.aliases(DOMAIN)).toHaveLength(2);
    clock.advance(60_001);
    expect(await alias.bring(record("store"), { isRecheck: true })).toMatchObject({ kind: "done", isSure: true });
    expect(fake.aliases(DOMAIN)).toMatchObject([{ name: "store" }]);
    expect(alias.known).not.toHaveProperty("late");
  });

  test("a creation that is carried out after the alias was deleted is removed at the next look", async () => {
    fake.faultFor(({ method }) => (method === "POST" ? { kind: "late", ms: 100 } : null));
    await alias.bring(record("shop"));
    fake.faultFor(() => null);
    expect(await alias.bring(null)).toMatchObject({ kind: "done", isSure: false });
    await fake.settled();
    expect(at("shop")).toBeDefined();
    expect(await alias.bring(null, { isRecheck: true })).toMatchObject({ kind: "done" });
    expect(at("shop")).toBeUndefined();
  });

  test("an edit that is carried out after the next one is set right at the next look", async () => {
    await alias.bring(record("shop"));
    fake.faultFor(({ method }) => (method === "PUT" ? { kind: "late", ms: 100 } : null));
    expect(await alias.bring(record("shop", others))).toMatchObject({ isSure: false });
    fake.faultFor(() => null);
    expect(await alias.bring(record("shop"))).toMatchObject({ kind: "done", isSure: true });
    await fake.settled();
    expect(at("shop")).toMatchObject(others);
    expect(await alias.bring(record("shop"), { isRecheck: true })).toMatchObject({ kind: "done" });
    expect(at("shop")?.recipients).toEqual(["ann@mailbox.example"]);
  });

  test("an edit whose response was lost is not taken for undone when it is taken back", async () => {
    await alias.bring(record("shop"));
    fake.faultFor(({ method }) => (method === "PUT" ? { kind: "lost" } : null));
    await alias.bring(record("shop", others));
    fake.faultFor(() => null);
    await alias.bring(record("shop"));
    expect(at("shop")?.recipients).toEqual(["ann@mailbox.example"]);
  });

  test("an adoption whose response was lost is found by a deletion", async () => {
    fake.putAlias(`shop@${DOMAIN}`, { recipients: ["ann@mailbox.example"] });
    fake.faultFor(({ method }) => (method === "PUT" ? { kind: "lost" } : null));
    expect(await alias.bring(record("shop"))).toMatchObject({ kind: "failed", isSure: false });
    fake.faultFor(() => null);
    expect(await alias.bring(null)).toMatchObject({ kind: "done" });
    expect(at("shop")).toBeUndefined();
  });

  test("a copy that was found by its name is not lost sight of when its renaming is not responded to", async () => {
    fake.faultFor(({ method }) => (method === "POST" ? { kind: "lost" } : null));
    await alias.bring(record("shop"));
    fake.faultFor(({ method }) => (method === "PUT" ? { kind: "lost" } : null));
    await alias.bring(record("store"));
    fake.faultFor(() => null);
    expect(await alias.bring(record("stall"))).toMatchObject({ kind: "done" });
    expect(fake.aliases(DOMAIN)).toMatchObject([{ name: "stall" }]);
  });

  test("a creation that is repeated and then carried out late, after a rename, is removed", async () => {
    let isFirst = true;
    fake.faultFor(({ method }) => {
      if (method !== "POST" || !isFirst) return null;
      isFirst = false;
      return { kind: "late", ms: 100 };
    });
    await alias.bring(record("shop"));
    await alias.bring(record("shop"));
    expect(await alias.bring(record("store"))).toMatchObject({ kind: "done", isSure: false });
    await fake.settled();
    expect(fake.aliases(DOMAIN)).toHaveLength(2);
    clock.advance(60_001);
    expect(await alias.bring(record("store"), { isRecheck: true })).toMatchObject({ kind: "done", isSure: true });
    expect(fake.aliases(DOMAIN)).toHaveLength(1);
  });

  test("a lease that was lost stops before the next creation", async () => {
    const ids = { aliasId: alias.aliasId, userId: "one-account" };
    const input = { ...ids, wanted: record("shop"), known: alias.known, isRecheck: false };
    const brought = await provider.bring({ ...input, note: async () => false }, new AbortController().signal);
    expect(brought).toMatchObject({ kind: "failed", problem: "busy", isSure: true });
    expect(made()).toEqual([]);
  });
});
