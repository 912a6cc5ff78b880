/** `kauke provider …` and the doctor against a forwarding provider that others change too. */
import { randomUUID } from "node:crypto";
import { commands } from "@kauke/server/cli/commands/all";
import { type CommandCall, findCommand } from "@kauke/server/cli/commands/command";
import { FakeForwardEmail } from "@kauke/testkit/fakes/fake-forward-email";
import { registerPerson } from "@kauke/testkit/person";
import { makeDataDir, removeDataDirs } from "@kauke/testkit/server-process";
import { startSystem, type TestSystem } from "@kauke/testkit/system";
import { afterAll, afterEach, expect, test, vi } from "vitest";

const domain = "kauke.example";
const mailbox = "ann@mailbox.example";

const open: AsyncDisposableStack[] = [];
afterEach(async () => {
  for (const stack of open.splice(0)) await stack.disposeAsync();
});
afterAll(removeDataDirs);

const withProvider = ({ url, key }: FakeForwardEmail) => ({
  KAUKE_DOMAINS: domain,
  KAUKE_FORWARDING: "forward-email",
  KAUKE_PROVIDER_URL: url,
  KAUKE_PROVIDER_KEY: key,
  KAUKE_WEBHOOK_ALLOW: "127.0.0.1",
  KAUKE_DELIVERY: "preview",
  KAUKE_LIMITS: "off",
});

async function startBoth(env: Record<string, string> = {}) {
  const stack = new AsyncDisposableStack();
  open.push(stack);
  const provider = stack.use(await FakeForwardEmail.start({ domains: [domain] }));
  const system = await startSystem({ env: { ...withProvider(provider), ...env } });
  stack.defer(() => system.close());
  return { provider, system, person: await registerPerson(system.url) };
}

async function untilDone({ server }: TestSystem): Promise<void> {
  const figures = () => server.control["provider-figures"]({});
  await expect.poll(figures, { timeout: 10_000 }).toMatchObject({ waiting: 0, failed: 0 });
}

/** Runs a command in this process, on the calls of the running server. */
async function kauke({ server }: TestSystem, line: string): Promise<{ code: number; out: string; err: string }> {
  const found = findCommand(commands, line.split(" "));
  if (found.kind !== "run") throw new Error(found.text);
  const written = { out: "", err: "" };
  const catchText = (to: keyof typeof written) => (text: string | Uint8Array) => {
    written[to] += String(text);
    return true;
  };
  const spies = [
    vi.spyOn(process.stdout, "write").mockImplementation(catchText("out")),
    vi.spyOn(process.stderr, "write").mockImplementation(catchText("err")),
  ];
  const access: CommandCall["access"] = async () => ({ ...server.control, isRunning: true, close: async () => {} });
  try {
    const { values, args } = found;
    const config = () => {
      throw new Error("not read");
    };
    return { code: await found.command.run({ values, args, access, config }), ...written };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

const actsOf = async ({ server }: TestSystem) =>
  (await server.control["acts-list"]({ isAll: true })).map(({ act, on }) => [act, on]).toReversed();

test("check lists what differs, and repair mends all that this server made", async () => {
  const { provider, system, person } = await startBoth();
  const [first, second, third] = [
    await person.createAlias({ forwardTo: mailbox, domain }),
    await person.createAlias({ forwardTo: mailbox, domain }),
    await person.createAlias({ forwardTo: mailbox, domain }),
  ];
  await untilDone(system);
  expect(await kauke(system, "provider check")).toMatchObject({
    code: 0,
    out: expect.stringContaining("Both sides agree"),
  });

  const addressOf = ({ alias }: { alias: string }) => `${alias}@${domain}`;
  provider.removeAlias(addressOf(first));
  provider.putAlias(addressOf(second), { recipients: ["thief@elsewhere.example"] });
  const gone = randomUUID();
  provider.putAlias(`gone@${domain}`, { description: `kauke:${gone}`, recipients: [mailbox], is_enabled: true });
  provider.putAlias(`others@${domain}`, { recipients: [mailbox], is_enabled: true });
  const found = await kauke(system, "provider check");
  expect(found.code).toBe(1);
  for (const line of [
    `only here  ${first.id}`,
    `different there (recipients)  ${second.id}`,
    `only there, made by this server  ${gone}`,
    "only there, made by somebody else  there: ",
    "3 aliases here, 4 there.",
    "kauke provider repair",
  ])
    expect(found.out).toContain(line);
  expect(found.out).not.toMatch(/@|gone|others/);
  const shown = await kauke(system, "provider check --show-addresses");
  for (const address of [addressOf(first), addressOf(second), `gone@${domain}`, `others@${domain}`])
    expect(shown.out).toContain(address);
  expect(await kauke(system, "provider")).toMatchObject({ out: expect.stringContaining("3 differences were found") });

  expect((await kauke(system, "provider repair")).out).toBe(
    "2 aliases would be set up again, and 1 left-over copies deleted. Add --yes to do it.\n",
  );
  expect(provider.alias(addressOf(first))).toBeUndefined();
  expect((await kauke(system, "provider repair --yes")).code).toBe(0);
  await untilDone(system);
  expect(await kauke(system, "provider check")).toMatchObject({ code: 0 });
  expect(
    provider
      .aliases(domain)
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual([first.alias, second.alias, third.alias, "others"].toSorted());
  expect(provider.forwardsTo(addressOf(second))).toEqual([mailbox]);
  expect(await kauke(system, "provider repair")).toMatchObject({ code: 0, out: "There is nothing to repair.\n" });
  expect(await actsOf(system)).toEqual([
    ["addresses_shown", null],
    ["provider_repaired", null],
  ]);
  expect(provider.violations).toEqual([]);
});

test("postmaster@ and abuse@ forward to the operator; one that somebody else made is left alone", async () => {
  const { provider, system, person } = await startBoth({ KAUKE_POSTMASTER: "Ops@mailbox.example" });
  provider.putAlias(`abuse@${domain}`, { recipients: ["team@mailbox.example"], is_enabled: true });
  expect((await kauke(system, "provider")).out).toContain("Mail to postmaster@kauke.example is refused: `kauke");
  await kauke(system, "provider push --yes");
  const mine = () => provider.alias(`postmaster@${domain}`);
  const wanted = { description: "kauke:postmaster", recipients: ["ops@mailbox.example"], is_enabled: true };
  expect(mine()).toMatchObject(wanted);
  expect(provider.forwardsTo(`abuse@${domain}`)).toEqual(["team@mailbox.example"]);
  expect((await kauke(system, "provider")).out).toContain("Mail to postmaster@ and abuse@ is forwarded.");
  const { out } = await kauke(system, "provider check");
  expect(out).toContain("Both sides agree.");
  expect(out.match(/somebody else {2}there/g)).toHaveLength(1);
  expect((await kauke(system, `provider adopt --to ${person.email}`)).out).not.toContain("postmaster");

  provider.putAlias(`postmaster@${domain}`, { recipients: ["thief@elsewhere.example"], is_enabled: false });
  expect((await kauke(system, "provider")).out).toContain("a mailbox that is not KAUKE_POSTMASTER");
  await kauke(system, "provider repair --yes");
  expect(mine()).toMatchObject(wanted);
  expect(provider.violations).toEqual([]);
});

test("an alias that is being set up is no difference", async () => {
  const { provider, system, person } = await startBoth();
  await person.createAlias({ forwardTo: mailbox, domain });
  await untilDone(system);
  provider.faultFor(({ method }) => (method === "GET" ? null : { kind: "status", status: 503 }));
  const [alias] = await person.listAliases();
  await person.createAlias({ forwardTo: mailbox, domain });
  await person.call("POST", "/api/aliases/bulk", { aliasIds: [alias?.id], change: { active: false } });
  const report = await kauke(system, "provider check");
  expect(report).toMatchObject({ code: 0, out: "2 aliases here, 1 there; 2 being set up.\nBoth sides agree.\n" });
});

test("push sets up the aliases of a server that forwarded by itself, and leaves a foreign one alone", async () => {
  const dataDir = await makeDataDir();
  const engine = await startSystem({
    env: { KAUKE_FORWARDING: "engine", KAUKE_DOMAINS: domain, KAUKE_DATA_DIR: dataDir, KAUKE_LIMITS: "off" },
  });
  const person = await registerPerson(engine.url);
  const [plain, paused, taken] = [
    await person.createAlias({ forwardTo: mailbox, domain }),
    await person.createAlias({ forwardTo: mailbox, domain }),
    await person.createAlias({ forwardTo: mailbox, domain }),
  ];
  await person.call("POST", "/api/aliases/bulk", { aliasIds: [paused.id], change: { active: false } });
  await engine.close();
  const { provider, system } = await startBoth({ KAUKE_DATA_DIR: dataDir });
  provider.putAlias(`${taken.alias}@${domain}`, { recipients: ["other@mailbox.example"], is_enabled: true });
  const plan = await kauke(system, "provider push");
  expect(plan.out).toContain("3 aliases here. To create there: 2; to change: 0; being set up already: 0.");
  expect(plan.out).toContain("left alone: 1.");
  expect(provider.calls.filter(({ method }) => method !== "GET")).toEqual([]);

  await kauke(system, "provider push --yes --json");
  await expect.poll(() => system.server.control["provider-figures"]({})).toMatchObject({ waiting: 0, failed: 1 });
  expect(provider.alias(`${plain.alias}@${domain}`)).toMatchObject({ is_enabled: true, recipients: [mailbox] });
  expect(provider.alias(`${paused.alias}@${domain}`)).toMatchObject({ is_enabled: false });
  expect(provider.forwardsTo(`${taken.alias}@${domain}`)).toEqual(["other@mailbox.example"]);
  const found = await kauke(system, "provider check");
  expect(found.out).toContain(`made there by somebody else, with other destinations  ${taken.id}`);

  provider.removeAlias(`${taken.alias}@${domain}`);
  expect(await kauke(system, "provider push --yes")).toMatchObject({
    code: 0,
    out: expect.stringContaining("Every alias is at the provider."),
  });
  expect(await actsOf(system)).toEqual([
    ["provider_pushed", null],
    ["provider_pushed", null],
  ]);
});

test("push sets up again what the provider has lost, e.g. another account there", async () => {
  const { provider, system, person } = await startBoth();
  const [lost, changed] = [
    await person.createAlias({ forwardTo: mailbox, domain }),
    await person.createAlias({ forwardTo: mailbox, domain }),
  ];
  await untilDone(system);
  provider.removeAlias(`${lost.alias}@${domain}`);
  Object.assign(provider.alias(`${changed.alias}@${domain}`) ?? {}, { recipients: ["thief@elsewhere.example"] });
  const others = provider.putAlias(`left@${domain}`, { description: `kauke:${randomUUID()}`, recipients: [mailbox] });
  expect((await kauke(system, "provider push")).out).toContain("To create there: 1; to change: 1;");
  expect((await kauke(system, "provider push --yes")).out).toContain("Every alias is at the provider.");
  for (const { alias } of [lost, changed]) expect(provider.forwardsTo(`${alias}@${domain}`)).toEqual([mailbox]);
  expect(provider.alias(`left@${domain}`)).toEqual(others);
});

test("after a restore, an alias made since the backup and made anew gets its address with the repair", async () => {
  const { provider, system, person } = await startBoth();
  provider.putAlias(`since@${domain}`, {
    description: `kauke:${randomUUID()}`,
    recipients: ["former@mailbox.example"],
  });
  const alias = await person.createAlias({ alias: "since", forwardTo: mailbox, domain });
  expect((await kauke(system, "provider repair --yes")).out).toContain("1 left-over copies deleted");
  await untilDone(system);
  expect(provider.aliases(domain)).toMatchObject([{ description: `kauke:${alias.id}`, recipients: [mailbox] }]);
});

test("adopt takes what somebody else made there into an account, once", async () => {
  const { provider, system, person } = await startBoth();
  const own = await person.createAlias({ forwardTo: mailbox, domain });
  await untilDone(system);
  provider.putAlias(`shop@${domain}`, { recipients: [mailbox, "https://hook.example/in"], is_enabled: true });
  provider.putAlias(`off@${domain}`, { recipients: [mailbox], is_enabled: false });
  provider.putAlias(`*@${domain}`, { recipients: [mailbox], is_enabled: true });
  provider.putAlias(`stored@${domain}`, { recipients: [mailbox], is_enabled: true, has_imap: true });
  const before = provider.calls.length;
  const plan = await kauke(system, `provider adopt --to ${person.email}`);
  for (const line of [
    `adopt  shop@${domain}  2 destinations, active`,
    `adopt  off@${domain}  1 destination, paused`,
    `leave  *@${domain}  1 destination. It is a catch-all`,
    `leave  stored@${domain}  1 destination. It stores mail there`,
    "2 aliases would be adopted, 2 left alone.",
  ])
    expect(plan.out).toContain(line);
  expect(provider.calls.slice(before).every(({ method }) => method === "GET")).toBe(true);

  const ids = provider.aliases(domain).map(({ id }) => id);
  expect(await kauke(system, `provider adopt --yes --to ${person.user.id}`)).toMatchObject({
    code: 0,
    out: expect.stringContaining("2 aliases adopted"),
  });
  await untilDone(system);
  const mine = await person.listAliases();
  expect(mine.map(({ alias }) => alias).toSorted()).toEqual(["off", own.alias, "shop"].toSorted());
  for (const { alias, id, providerId } of mine)
    expect(provider.alias(`${alias}@${domain}`)).toMatchObject({ id: providerId, description: `kauke:${id}` });
  expect(provider.alias(`off@${domain}`)).toMatchObject({ is_enabled: false });
  expect(provider.alias(`shop@${domain}`)?.recipients.toSorted()).toEqual([mailbox, "https://hook.example/in"]);
  expect(provider.aliases(domain).map(({ id }) => id)).toEqual(ids);
  expect((await kauke(system, `provider adopt --yes --to ${person.email}`)).out).toBe("Nothing was left to adopt.\n");
  expect(await actsOf(system)).toEqual([["aliases_adopted", person.user.id]]);
});

test("the doctor checks the account and the domains there instead of our own mail host", async () => {
  const { provider, system } = await startBoth();
  provider.domain(domain).has_mx_record = false;
  provider.putAlias(`*@${domain}`, { recipients: [mailbox], is_enabled: true });
  const { out } = await kauke(system, "provider status");
  expect(out).toMatch(/fix {3}provider-domain kauke\.example .*MX record is not right/);
  expect(out).toContain("It has a catch-all");
  const { checks } = await system.server.control.health({});
  const names = checks.map(({ check }) => check);
  expect(names).toEqual(expect.arrayContaining(["provider", "provider-domain", "provider-comparison", "dns"]));
  for (const ours of ["mx", "spf", "dkim", "dmarc", "mta-sts", "reverse-name", "address"])
    expect(names).not.toContain(ours);
  const records = (await kauke(system, "domains")).out;
  expect(records).toContain("Forward Email receives and sends the mail");
  expect(records).not.toContain("IN MX 10 mail.");
  provider.store.account.isVerified = false;
  expect((await kauke(system, "provider check").catch((error: Error) => ({ out: error.message }))).out).toContain(
    "Not possible now: the provider refused this server's API key.",
  );
  expect(JSON.stringify(system.log)).not.toMatch(/@kauke\.example|provider-key/);
});

test("with our own engine each command says that this server forwards by itself", async () => {
  const system = await startSystem({ env: { KAUKE_FORWARDING: "engine", KAUKE_LIMITS: "off" } });
  for (const name of [
    "",
    " status",
    " check",
    " repair",
    " repair --yes",
    " push",
    " push --yes",
    " adopt --to ann@people.example",
  ]) {
    const { code, err } = await kauke(system, `provider${name}`).catch((error: Error) => ({
      code: 1,
      err: error.message,
    }));
    expect([name, code, err]).toEqual([name, 1, expect.stringContaining("This server forwards by itself.")]);
  }
  await system.close();
});
