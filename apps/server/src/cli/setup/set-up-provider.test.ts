/** The steps of `kauke setup` with a forwarding provider, against a running server and an account of the test's. */
import type { DnsRecord } from "@kauke/mail-rfc";
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { FakeForwardEmail } from "@kauke/testkit/fakes/fake-forward-email";
import { startSystem, type TestSystem } from "@kauke/testkit/system";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type ProviderAccount, type ProviderDomain, ProviderError } from "../../core/forwarding/provider-account.ts";
import { parseAllowList } from "../../mail/transport/address-guard.ts";
import { guardedCall } from "../../mail/transport/guarded-call.ts";
import { forwardEmailProvider } from "../../platform/forward-email/forward-email.ts";
import { parseDotEnv } from "../../settings/env.ts";
import { type CheckResult, checking } from "../doctor/check-result.ts";
import { offerAccount } from "./account.ts";
import type { Wanted } from "./look.ts";
import { setUp } from "./set-up.ts";
import { missingSettings } from "./settings-change.ts";
import type { SetupDeps, SetupOptions } from "./setup-deps.ts";

const domain = "kauke.example";
const key = "key-of-the-provider";
const publicUrl = new URL("https://api.forwardemail.net");
const copyUrl = new URL("https://api.copy.example");
const options: SetupOptions = {
  domain,
  mailbox: "you@elsewhere.example",
  addresses: ["192.0.2.1"],
  forwarding: "forward-email",
  isDryRun: false,
};

/** What the account has; each test changes it. */
interface State {
  domains: Map<string, ProviderDomain>;
  aliases: string[];
  added: string[];
  isVerified: boolean;
  problem: ProviderError | null;
  plan: string;
}
let state: State;
let system: TestSystem;
let settings: string;
let published: DnsRecord[];
let formerMailHosts: readonly string[];
let wanted: Wanted[];
let starts: { isChanged: boolean }[];

beforeEach(async () => {
  // The server's own settings do not matter here, except for its domains and its address.
  system = await startSystem({ env: { KAUKE_DOMAINS: domain, KAUKE_PUBLIC_URL: `https://${domain}` } });
  state = {
    domains: new Map(),
    aliases: [],
    added: [],
    isVerified: true,
    problem: null,
    plan: "enhanced_protection",
  };
  [settings, published, formerMailHosts, wanted, starts] = ["# ours\n", [], [], [], []];
});
afterEach(() => system.close());

const domainThere = (change: Partial<ProviderDomain> = {}): ProviderDomain => ({
  domain,
  isShared: false,
  hasCatchAll: false,
  hasMxRecord: false,
  hasTxtRecord: false,
  verificationRecord: "a1B2c3D4e5",
  maySend: false,
  isSendingSuspended: false,
  ...change,
});

const account: ProviderAccount = {
  standing: async () => {
    if (state.problem !== null) throw state.problem;
    return { plan: state.plan, sending: { count: 0, limit: 300 } };
  },
  domain: async (name) => state.domains.get(name) ?? null,
  addDomain: async (name) => {
    state.added.push(name);
    state.domains.set(name, domainThere());
    return domainThere();
  },
  verify: async (_, what) => what === "forwarding" && state.isVerified,
  copyAt: async () => null,
  putOperatorCopy: async () => {},
  copies: async function* () {
    const copy = { recipients: [], isEnabled: true, codeIfDisabled: 250 };
    yield state.aliases.map((aliasId) => ({ ...copy, aliasId, providerId: aliasId, address: `${aliasId}@${domain}` }));
  },
};

function deps(url: URL, change: Partial<SetupDeps> = {}, provider: Partial<SetupDeps["provider"]> = {}): SetupDeps {
  return {
    settings: {
      file: "/etc/kauke/kauke.env",
      read: () => settings,
      write: (text) => void (settings = text),
      parse: parseDotEnv,
      isOpenToOthers: () => false,
    },
    look: async (one) => {
      wanted.push(one);
      return [checking("address", "this machine").ok("It is here.")];
    },
    confirm: async () => true,
    service: {
      ensure: async (started) => {
        starts.push(started);
        return checking("service", "kauke").ok("It runs.");
      },
      access: async () => {
        const real = { ...system.server.control, isRunning: true, close: async () => {} };
        const delivery = "provider" as const;
        return { ...real, facts: async () => ({ ...(await real.facts({})), delivery, certificates: null }) };
      },
    },
    publish: async function* (records, hosts) {
      [published, formerMailHosts] = [[...records], hosts];
      yield checking("dns", "records").ok("Published.");
    },
    account: (access, mailbox) => offerAccount(access, mailbox, () => {}),
    provider: {
      offer: async () => false,
      choose: async () => ({ url, key }),
      account: () => account,
      countAliases: async () => 0,
      withPolicy: async () => [],
      wait: { limitMs: 20, pauseMs: 5 },
      ...provider,
    },
    certificateWait: { limitMs: 600_000, pauseMs: 5 },
    ...change,
  };
}

async function run(given: SetupDeps = deps(publicUrl), more: Partial<SetupOptions> = {}): Promise<string[]> {
  const results: CheckResult[] = [];
  for await (const result of setUp({ ...options, ...more }, given)) results.push(result);
  return results.map(({ state, check, subject, says }) => `${state} ${check} ${subject}: ${says}`);
}

const mx = (exchange: string) => ({ type: "MX", name: domain, preference: 10, exchange });
const isFix = (line: string) => line.startsWith("fix ");

it("a first run adds the domain, writes two settings of the provider and leads the mail there", async () => {
  const said = await run();
  expect(said.filter(isFix)).toEqual([]);
  expect(said).toContain("warn provider kauke.example: It is not there yet, and would be added.");
  expect(said).toContain("ok provider kauke.example: Added, without a catch-all.");
  expect(state.added).toEqual([domain]);
  const written = parseDotEnv(settings);
  expect(written).toEqual({
    ...missingSettings(options, {}, { url: publicUrl, key }),
    KAUKE_FORWARDING: "forward-email",
    KAUKE_PROVIDER_KEY: key,
  });
  expect(Object.keys(written).filter((name) => /PORT|DELIVERY/.test(name))).toEqual([
    "KAUKE_HTTP_PORT",
    "KAUKE_HTTPS_PORT",
  ]);
  expect(published).toEqual([
    { type: "A", name: domain, address: "192.0.2.1" },
    mx("mx1.forwardemail.net"),
    mx("mx2.forwardemail.net"),
    { type: "TXT", name: domain, text: "forward-email-site-verification=a1B2c3D4e5" },
  ]);
  expect(said).toContain("ok forwarding kauke.example: The provider takes and forwards its mail.");
  expect(said.at(-1)).toMatch(/is yours, and the provider forwards the mail of its aliases/);
});

it("ports of mail and port 25 are not looked at, and the key is said nowhere", async () => {
  const said = await run();
  expect(wanted[0]).toMatchObject({
    isDirect: false,
    mailHosts: ["mx1.forwardemail.net", "mx2.forwardemail.net", "mail.kauke.example"],
  });
  expect(Object.keys(wanted[0]?.ports ?? {})).toEqual(["http", "https"]);
  const dry = await run(deps(publicUrl), { isDryRun: true, domain });
  expect([...said, ...dry].join("\n")).not.toContain(key);
});

it("a dry run names what it would write, and adds nothing", async () => {
  const said = await run(deps(publicUrl), { isDryRun: true });
  expect(said.at(-1)).toMatch(/KAUKE_FORWARDING=forward-email, KAUKE_PROVIDER_KEY=…\.$/);
  expect([state.added, starts, settings]).toEqual([[], [], "# ours\n"]);
});

it("a second run changes nothing", async () => {
  await run();
  const before = settings;
  const said = await run();
  expect(settings).toBe(before);
  expect(state.added).toEqual([domain]);
  expect(starts).toEqual([{ isChanged: true }, { isChanged: false }]);
  expect(said).toContain("ok provider kauke.example: It is there, without a catch-all.");
});

it.each<[string, () => void, RegExp]>([
  ["the key is wrong", () => (state.problem = new ProviderError("key_refused")), /It refuses the API key/],
  ["the provider is out of reach", () => (state.problem = new ProviderError("unreachable")), /KAUKE_WEBHOOK_ALLOW/],
  ["the plan is free", () => (state.plan = "free"), /aliases by the API need a paid plan/],
  ["a domain is shared", () => state.domains.set(domain, domainThere({ isShared: true })), /it can't send/],
  [
    "a domain has a catch-all",
    () => state.domains.set(domain, domainThere({ hasCatchAll: true })),
    /delete the alias \*/,
  ],
])("nothing is written when %s", async (_, change, says) => {
  change();
  const said = await run();
  expect(said.find((line) => isFix(line))).toMatch(says);
  expect(said.at(-1)).toBe("fix setup kauke.example: Nothing was changed: mend this first.");
  expect([state.added, starts, settings]).toEqual([[], [], "# ours\n"]);
});

it("settings that others can read are named, because the key is in them", async () => {
  const given = deps(publicUrl);
  const said = await run({ ...given, settings: { ...given.settings, isOpenToOthers: () => true } });
  expect(said).toContainEqual(
    expect.stringMatching(/^warn settings .* Written\. Other users of this machine can read it/),
  );
});

it("a missing key says how to give one", async () => {
  const said = await run(deps(publicUrl, {}, { choose: async () => "--provider-key-file must name a file." }));
  expect(said).toEqual(["fix setup kauke.example: --provider-key-file must name a file."]);
});

it("the MX records wait until the provider has all aliases", async () => {
  state.aliases = ["some", "more"];
  const access = async () => {
    const ready = await deps(publicUrl).service.access();
    if (ready === null) throw new Error("no access");
    const page = [{ id: "1", authMethod: "email", createdAt: "", aliases: 3, lastSeenAt: null, isAdmin: false }];
    return { ...ready, "users-list": async ({ after }: { after: string }) => (after === "" ? page : []) };
  };
  const { service } = deps(publicUrl);
  const given = deps(publicUrl, { service: { ...service, access } });
  const said = await run(given);
  expect(said.find((line) => isFix(line))).toMatch(/^fix provider aliases: 2 of 3 are there, and the MX records wait/);
  expect(published.map(({ type }) => type)).toEqual(["A", "TXT"]);
  expect(said.at(-1)).toMatch(/^fix setup kauke\.example: Run this command again later/);
  state.aliases.push("last");
  expect((await run(given)).filter(isFix)).toEqual([]);
  expect(published.map(({ type }) => type)).toEqual(["A", "MX", "MX", "TXT"]);
});

it.each([
  [40, /^warn provider 40 aliases: They are set up there within a day\. Meanwhile this server takes no mail/],
  [5000, /^warn provider 5000 aliases: .* the last is there after 17 days\..* ask the provider for a higher limit/],
])("a server that has %i aliases says what happens while they are handed over, once", async (count, says) => {
  const given = deps(publicUrl, {}, { countAliases: async () => count });
  expect(await run(given)).toContainEqual(expect.stringMatching(says));
  expect(await run(given)).not.toContainEqual(expect.stringMatching(says));
});

it("records that the provider does not find yet end with what may stand in the way", async () => {
  state.isVerified = false;
  const said = await run();
  expect(said.find((line) => line.startsWith("fix forwarding"))).toMatch(/No other MX, no second forward-email-site/);
  expect(said.at(-1)).toMatch(/^fix setup .* again later/);
});

it("what awaits the provider's approval is said, with what it means, unless mail leaves another way", async () => {
  const said = await run();
  const page = "https://forwardemail.net/my-account/domains/kauke.example";
  const sending = said.find((line) => line.startsWith("warn sending"));
  expect(sending).toContain(`that ${page} shows, and ask for approval there. Until then no message leaves`);
  state.domains.set(domain, domainThere({ maySend: true }));
  expect(await run()).toContain("ok sending kauke.example: It may send through the provider.");
  const { service } = deps(publicUrl);
  const access = async () => {
    const ready = await service.access();
    return ready === null
      ? null
      : { ...ready, facts: async () => ({ ...(await ready.facts({})), delivery: "relay" as const }) };
  };
  const relayed = await run(deps(publicUrl, { service: { ...service, access } }));
  expect(relayed.filter((line) => line.includes("sending"))).toEqual([]);
});

it("what the server itself finds of the account decides too", async () => {
  const says = "It can't be reached.";
  const { service } = deps(publicUrl);
  const access = async () => {
    const ready = await service.access();
    const checks = [checking("provider", "Forward Email").fix(says), checking("ports", "x").fix("not asked")];
    return ready === null ? null : { ...ready, health: async () => ({ checkedAt: "", checks }) };
  };
  const said = await run(deps(publicUrl, { service: { ...service, access } }));
  expect(said.slice(-2)).toEqual([
    `fix provider Forward Email: ${says}`,
    "fix setup kauke.example: Run this command again later: it goes on from here.",
  ]);
});

it("of a self-hosted copy no record is invented", async () => {
  const said = await run(deps(copyUrl));
  expect(parseDotEnv(settings)).toMatchObject({ KAUKE_PROVIDER_URL: copyUrl.origin });
  expect(wanted[0]?.mailHosts).toBeNull();
  expect(published.map(({ type }) => type)).toEqual(["A"]);
  const page = "https://copy.example/my-account/domains/kauke.example";
  expect(said).toContain(`warn dns records: Publish the MX and TXT records that ${page} shows.`);
});

it("an MTA-STS policy that names this server is withdrawn", async () => {
  await run(deps(publicUrl, {}, { withPolicy: async (domains) => domains }));
  expect(published.at(-1)).toMatchObject({ type: "TXT", name: `_mta-sts.${domain}` });
});

it("a blocked port 25 offers the provider", async () => {
  const blocked = checking("port", "outgoing 25").fix("mx.elsewhere.example did not greet us.");
  const look = async ({ isDirect }: Wanted) => (isDirect ? [blocked] : []);
  const refused = await run(deps(publicUrl, { look }), { forwarding: null });
  expect(refused.at(-1)).toMatch(/Nothing was changed: mend this first/);
  const taken = await run(deps(publicUrl, { look }, { offer: async () => true }), { forwarding: null });
  expect(taken.slice(1).filter(isFix)).toEqual([]);
  expect(parseDotEnv(settings)).toMatchObject({ KAUKE_FORWARDING: "forward-email" });
  // It is set now, so that nobody has to choose again.
  expect((await run(deps(publicUrl, { look }), { forwarding: null })).filter(isFix)).toEqual([]);
});

it("the adapter's account does the same at the provider, which sees no request that it would not expect", async () => {
  await using fake = await FakeForwardEmail.start({ key, domains: [] });
  const url = new URL(fake.url);
  const { account: real } = forwardEmailProvider(
    guardedCall({ resolver: createFakeDns({}), allow: parseAllowList(["127.0.0.1"]) }),
    { url, key },
  );
  if (real === null) throw new Error("no account");
  const given = deps(url, {}, { account: () => real });
  const first = await run(given);
  expect(first).toContain("ok provider kauke.example: Added, without a catch-all.");
  expect(first.at(-1)).toMatch(/^fix setup .* again later/);
  expect(fake.aliases(domain)).toEqual([]);
  Object.assign(fake.domain(domain), { has_mx_record: true, has_txt_record: true });
  const second = await run(given);
  expect(second.filter(isFix)).toEqual([]);
  expect(second).toContain("ok provider kauke.example: It is there, without a catch-all.");
  fake.putAlias(`*@${domain}`, { recipients: ["you@elsewhere.example"] });
  expect((await run(given)).find(isFix)).toMatch(/catch-all forwards mail to names without an alias/);
  fake.removeAlias(`*@${domain}`);
  fake.domain(domain).is_global = true;
  expect((await run(given)).find(isFix)).toMatch(/shares it between its customers/);
  fake.store.account.plan = "free";
  expect((await run(given)).find(isFix)).toMatch(/aliases by the API need a paid plan/);
  expect(fake.violations).toEqual([]);
});

it("back to this server: the provider's settings go, its hosts are replaced, and its copies are named", async () => {
  settings = `KAUKE_DELIVERY=direct\nKAUKE_LOG_DAYS=30\n`;
  await run(deps(copyUrl));
  expect(parseDotEnv(settings)).not.toHaveProperty("KAUKE_DELIVERY");
  settings = settings.replace(/^KAUKE_PROVIDER_URL.*\n/m, "");
  const said = await run(deps(publicUrl), { forwarding: "engine" });
  const written = parseDotEnv(settings);
  expect(Object.keys(written).filter((name) => /FORWARDING|PROVIDER/.test(name))).toEqual([]);
  expect(written).toMatchObject({ KAUKE_DELIVERY: "direct", KAUKE_MX_PORT: "25", KAUKE_LOG_DAYS: "30" });
  expect(formerMailHosts).toEqual(["mail.kauke.example", "mx1.forwardemail.net", "mx2.forwardemail.net"]);
  expect(published).toContainEqual(mx("mail.kauke.example"));
  expect(said.find((line) => line.startsWith("warn provider"))).toMatch(/The aliases stay at the provider/);
});
