/** The steps of `kauke setup` against a running server; what surrounds it is the test's. */
import type { DnsRecord } from "@kauke/mail-rfc";
import { startSystem, type TestSystem } from "@kauke/testkit/system";
import { afterEach, beforeEach, expect, it } from "vitest";
import { parseDotEnv } from "../../settings/env.ts";
import { type CheckResult, checking } from "../doctor/check-result.ts";
import { offerAccount } from "./account.ts";
import { dnsProviderOf } from "./dns-choice.ts";
import { setUp } from "./set-up.ts";
import { missingSettings } from "./settings-change.ts";
import type { SetupDeps } from "./setup-deps.ts";

let system: TestSystem;
let settings: string;
let published: DnsRecord[];
let starts: { isChanged: boolean }[];
let shown: string[];
beforeEach(async () => {
  system = await startSystem({
    env: {
      KAUKE_DOMAINS: "kauke.example",
      KAUKE_PUBLIC_URL: "https://kauke.example",
      KAUKE_REGISTRATION: "invite",
    },
  });
  settings = "# ours\nKAUKE_LOG_DAYS=30\n";
  [published, starts, shown] = [[], [], []];
});
afterEach(() => system.close());

const options = {
  domain: "kauke.example",
  mailbox: "you@elsewhere.example",
  addresses: ["192.0.2.1", "2001:db8::1"],
  forwarding: null,
  isDryRun: false,
};
const ownSettings = missingSettings(options, {}, null);

function deps(change: Partial<SetupDeps> = {}): SetupDeps {
  return {
    settings: {
      file: "/etc/kauke/kauke.env",
      read: () => settings,
      write: (text) => void (settings = text),
      parse: parseDotEnv,
      isOpenToOthers: () => false,
    },
    look: async () => [checking("address", "this machine").ok("It is here.")],
    confirm: async () => true,
    service: {
      ensure: async (started) => {
        starts.push(started);
        return checking("service", "kauke").ok("It runs.");
      },
      access: async () => ({ ...system.server.control, isRunning: true, close: async () => {} }),
    },
    publish: async function* (records) {
      published.push(...records);
      yield checking("dns", "records").ok("Published.");
    },
    account: (access, mailbox) => offerAccount(access, mailbox, (text) => void shown.push(text)),
    provider: {
      offer: async () => false,
      choose: async () => "no provider in this test",
      account: () => {
        throw new Error("no provider in this test");
      },
      countAliases: async () => 0,
      withPolicy: async () => [],
      wait: { limitMs: 0, pauseMs: 1 },
    },
    certificateWait: { limitMs: 600_000, pauseMs: 5 },
    ...change,
  };
}

async function run(change: Partial<SetupDeps> = {}, more: Partial<typeof options> = {}): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for await (const result of setUp({ ...options, ...more }, deps(change))) results.push(result);
  return results;
}

const last = (results: readonly CheckResult[]) => results.at(-1)?.says;
const broken = checking("port", "mx 25").fix("Another program listens there.");

it("a first run writes the settings, starts the server, publishes its records and offers the operator an account", async () => {
  const results = await run();
  expect(results.map(({ state }) => state)).not.toContain("fix");
  expect(parseDotEnv(settings)).toEqual({ KAUKE_LOG_DAYS: "30", ...ownSettings });
  expect(starts).toEqual([{ isChanged: true }]);
  expect(published).toContainEqual({ type: "A", name: "mail.kauke.example", address: "192.0.2.1" });
  expect(published).toContainEqual({ type: "AAAA", name: "kauke.example", address: "2001:db8::1" });
  expect(published).toContainEqual({
    type: "MX",
    name: "kauke.example",
    preference: 10,
    exchange: "mail.kauke.example",
  });
  expect(results.find(({ check }) => check === "account")?.says).toMatch(
    /^Register within 7 days: https:\/\/kauke\.example\/register#invite=/,
  );
  expect(shown).toHaveLength(1);
  expect(results.at(-2)?.says).toMatch(
    /write from it to probe(?:-[a-z2-7]{4}){3}@kauke\.example, then run `kauke probe`/,
  );
});

it("a second run changes nothing and makes no second link", async () => {
  await run();
  const before = settings;
  const results = await run();
  expect(settings).toBe(before);
  expect(starts).toEqual([{ isChanged: true }, { isChanged: false }]);
  expect(results.find(({ check }) => check === "settings")?.says).toBe("As they were.");
  expect(results.find(({ check }) => check === "account")?.says).toMatch(/^Its invitation is open until/);
  expect(await system.server.control["invites-list"]({ withAddress: false })).toHaveLength(1);
});

it("what the operator has set already stays", async () => {
  settings = "KAUKE_HTTP_PORT=8080\nKAUKE_TLS=files\n";
  await run();
  expect(parseDotEnv(settings)).toMatchObject({ KAUKE_HTTP_PORT: "8080", KAUKE_TLS: "files" });
});

it("settings that are all there are not written again, whatever stands beside them", async () => {
  const lines = Object.entries(ownSettings).map(([name, value]) => `${name}="${value}" # ours`);
  settings = `${lines.join("\n")}\n`;
  const before = settings;
  await run();
  expect(settings).toBe(before);
  expect(starts).toEqual([{ isChanged: false }]);
});

it.each<[string, Partial<SetupDeps>, Partial<typeof options>, RegExp]>([
  ["something is in the way", { look: async () => [broken] }, {}, /^Nothing was changed: mend this first/],
  ["the operator says no", { confirm: async () => false }, {}, /^Nothing was changed/],
  ["it only looks", {}, { isDryRun: true }, /^A dry run: \/etc\/kauke\/kauke\.env would get NODE_ENV=production/],
])("nothing is changed when %s", async (_, change, more, says) => {
  const before = settings;
  expect(last(await run(change, more))).toMatch(says);
  expect(settings).toBe(before);
  expect([starts, published]).toEqual([[], []]);
});

it("a server for another domain is left alone", async () => {
  settings = "KAUKE_DOMAINS=other.example\n";
  expect(last(await run())).toMatch(/is set up for other\.example: to add kauke\.example, write it into KAUKE_DOMAINS/);
  expect(starts).toEqual([]);
});

it("records that are missing at the end stop it before the account, and say how it goes on", async () => {
  const publish = async function* () {
    yield checking("dns", "MX kauke.example").fix("Missing: kauke.example. 3600 IN MX 10 mail.kauke.example.");
  };
  const results = await run({ publish });
  expect(last(results)).toBe("Publish what is missing, then run this command again: it goes on from here.");
  expect(results.some(({ check }) => check === "account")).toBe(false);
});

it("an order in progress is waited for, one that the issuer's rate limit puts off beyond the wait is not", async () => {
  const later = new Date(Date.now() + 7 * 86_400_000).toISOString();
  const valid = { hosts: ["kauke.example"], leftOut: [], validUntil: later };
  const limited = { ...valid, failure: "rate_limited" as const, nextOrderAt: later };
  const ordered = { ...valid, validUntil: null, failure: null, nextOrderAt: new Date(0).toISOString() };
  const issued = { ...valid, failure: null, nextOrderAt: later };
  const looks = [[], [ordered, limited], [ordered, limited], [issued, limited]];
  const { service } = deps();
  const access = async () => {
    const real = { ...system.server.control, isRunning: true, close: async () => {} };
    return { ...real, facts: async () => ({ ...(await real.facts({})), certificates: looks.shift() ?? [] }) };
  };
  const results = await run({ service: { ...service, access } });
  expect(looks).toEqual([]);
  expect(results.filter(({ check }) => check === "issued").map(({ says }) => says)).toEqual([
    expect.stringMatching(/^For kauke\.example, valid until/),
    expect.stringMatching(/The issuer has had too many orders.* The next order is at \d{4}-/),
  ]);
  expect(last(results)).toMatch(/is yours/);
});

it("a server that does not start names the log", async () => {
  const service = { ...deps().service, access: async () => null };
  expect(last(await run({ service }))).toMatch(/does not start: its log says why/);
});

it.each([
  ["paste", "", null],
  ["cloudflare", "", "--credential must name a file with the provider's token."],
  ["rfc2136:ns.example", "a token", "--credential must name a file with a TSIG key (hmac-sha256) as name:secret."],
  ["route53", "x", "--dns must be paste, cloudflare, desec, hetzner, or rfc2136:<name server>."],
  ["constructor", "x", "--dns must be paste, cloudflare, desec, hetzner, or rfc2136:<name server>."],
])("the way to DNS %s with a credential %j", (choice, credential, expected) => {
  expect(dnsProviderOf(choice, credential)).toBe(expected);
});

it("a key for RFC 2136 is understood as other tools print it", () => {
  for (const choice of ["rfc2136:ns.example", "rfc2136:192.0.2.1:5353", "rfc2136:[2001:db8::1]:53"])
    for (const credential of ["key.example:c2VjcmV0", "hmac-sha256:key.example:c2VjcmV0"])
      expect(typeof dnsProviderOf(choice, credential)).toBe("object");
});
