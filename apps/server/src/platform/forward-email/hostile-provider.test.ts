import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { closeAfterEach } from "@kauke/testkit/close-after-each";
import { FakeForwardEmail } from "@kauke/testkit/fakes/fake-forward-email";
import { beforeEach, describe, expect, test } from "vitest";
import type { ProviderRecord } from "../../core/forwarding/forwarding-provider.ts";
import type { Resolver } from "../../mail/dns/resolver.ts";
import { parseAllowList } from "../../mail/transport/address-guard.ts";
import { guardedCall } from "../../mail/transport/guarded-call.ts";
import { forwardEmailProvider } from "./forward-email.ts";
import { DOMAIN, providerOf, record, TestAlias } from "./provider.testing.ts";

const MARKUP = "<script>alert('ann@mailbox.example')</script>";
const PASSWORD = "vq4T-9mZe-Xr27-hKp8-Wd3n-6bYs";

const closers = closeAfterEach();
let fake: FakeForwardEmail;
let alias: TestAlias;
let elsewhere: { url: string; calls: number };

beforeEach(async () => {
  fake = await FakeForwardEmail.start({ domains: [DOMAIN] });
  fake.checkSchemas = false;
  closers.push(() => fake.close());
  alias = new TestAlias(providerOf(fake, { callMs: 400 }));
  const server = createServer((_request, response) => {
    elsewhere.calls++;
    response.end();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  elsewhere = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, calls: 0 };
  closers.push(() => new Promise<void>((done) => server.close(() => done())));
});

type Fault = ReturnType<Parameters<FakeForwardEmail["faultFor"]>[0]>;

const faults: [what: string, fault: () => Fault, problem: string][] = [
  ["a body of 20 MB", () => ({ kind: "huge", bytes: 20_000_000 }), "broken_response"],
  ["a byte now and then", () => ({ kind: "drip", bytesPerSecond: 20 }), "timed_out"],
  ["nothing for a long time", () => ({ kind: "slow", ms: 60_000 }), "timed_out"],
  ["a redirect", () => ({ kind: "redirect", to: elsewhere.url }), "broken_response"],
  ["a page", () => ({ kind: "type", contentType: "text/html", body: MARKUP }), "broken_response"],
  ["JSON that claims to be text", () => ({ kind: "type", contentType: "text/plain", body: "{}" }), "broken_response"],
  ["no JSON", () => ({ kind: "type", contentType: "application/json", body: MARKUP }), "broken_response"],
  ["deeply nested JSON", () => ({ kind: "status", status: 200, body: nested(5000) }), "broken_response"],
  ["a page that is not found", () => ({ kind: "status", status: 404, body: MARKUP }), "broken_response"],
  ["an outage with markup", () => ({ kind: "status", status: 502, body: MARKUP }), "broken_response"],
  ["another id", () => ({ kind: "otherId" }), "broken_response"],
];

function nested(depth: number): unknown {
  let value: unknown = MARKUP;
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}

const acts: [act: string, before: ProviderRecord | null, after: ProviderRecord | null, at: RegExp][] = [
  ["a creation", null, record("shop"), /^POST .*\/aliases$/],
  ["an edit", record("shop"), record("shop", { isEnabled: false }), /^PUT /],
  ["a look before a deletion", record("shop"), null, /^GET /],
  ["a deletion", record("shop"), null, /^DELETE /],
  ["a password", record("shop"), record("shop", { password: PASSWORD }), /generate-password$/],
];

describe.each(acts)("%s", (act, before, after, at) => {
  // Its response has no id.
  const these = faults.filter(([what]) => act !== "a password" || what !== "another id");
  test.each(these)(
    "with %s in response ends in time, keeps nothing of it and recovers",
    async (_what, fault, problem) => {
      if (before !== null) await alias.bring(before);
      fake.faultFor(({ method, path }) => (at.test(`${method} ${path}`) ? fault() : null));
      const startedAt = performance.now();
      const brought = await alias.bring(after);
      expect(performance.now() - startedAt).toBeLessThan(3000);
      expect(brought).toMatchObject({ kind: "failed", problem, isSure: at.source === "^GET " });
      expect(JSON.stringify(brought)).not.toMatch(/script|aaaa/);
      expect(elsewhere.calls).toBe(0);
      fake.faultFor(() => null);
      expect(await alias.bring(after, { isRecheck: true })).toMatchObject({ kind: "done" });
      expect(fake.aliases(DOMAIN)).toHaveLength(after === null ? 0 : 1);
    },
  );
});

describe("a response to a creation is not believed", () => {
  const good = () => ({
    id: "0123456789abcdef01234567",
    name: "shop",
    domain: { name: DOMAIN },
    recipients: ["ann@mailbox.example"],
    description: alias.mark,
    is_enabled: true,
  });

  test.each<[string, object]>([
    ["an id that is a path", { id: "../../account" }],
    ["an id that is too long", { id: "a".repeat(65) }],
    ["an id that is a number", { id: 7 }],
    ["another name", { name: "other" }],
    ["another domain", { domain: { name: "other.example" } }],
    ["no domain", { domain: null }],
    ["another recipient", { recipients: ["thief@mailbox.example"] }],
    ["one recipient more", { recipients: ["ann@mailbox.example", "thief@mailbox.example"] }],
    ["no recipients", { recipients: [] }],
    ["the recipient null", { recipients: null }],
    ["another alias' mark", { description: "kauke:0c8f8b52-6f0f-4f0a-8f5e-000000000000" }],
    ["a switch that is off", { is_enabled: false }],
    ["a switch that is a word", { is_enabled: "yes" }],
    ["an array around it", { length: 1 }],
  ])("with %s", async (what, change) => {
    const fields = { ...good(), ...change };
    const body = what.startsWith("an array") ? [fields] : fields;
    fake.faultFor(({ method }) => (method === "POST" ? { kind: "status", status: 200, body } : null));
    const brought = await alias.bring(record("shop"));
    expect(brought).toMatchObject({ kind: "failed", problem: "broken_response", isSure: false });
    expect(brought.known.providerId).toBeNull();
  });

  test("unless all of it is as sent", async () => {
    fake.faultFor(({ method }) => (method === "POST" ? { kind: "status", status: 200, body: good() } : null));
    expect(await alias.bring(record("shop"))).toMatchObject({ kind: "done", known: { providerId: good().id } });
  });
});

test("without permission nothing is sent to a private address", async () => {
  const call = guardedCall({ resolver: {} as Resolver, allow: parseAllowList([]) });
  const guarded = new TestAlias(forwardEmailProvider(call, { url: new URL(fake.url), key: fake.key }));
  expect(await guarded.bring(record("shop"))).toMatchObject({ problem: "unreachable", isSure: true });
  expect(fake.calls).toEqual([]);
});
