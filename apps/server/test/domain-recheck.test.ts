/** What becomes of a domain's mail, over real SMTP, when its records are gone from DNS for days, and come back. */
import { setTimeout as wait } from "node:timers/promises";
import type { DnsAnswer, DomainDns } from "@kauke/server/core/domain/domain-dns";
import { wantedRecords } from "@kauke/server/core/domain/domain-records";
import { anAlias } from "@kauke/server/store/rows.testing";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { sendMail } from "@kauke/testkit/send-mail";
import { signedInTalk } from "@kauke/testkit/smtp-talk";
import { expect, test, vi } from "vitest";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const mailHost = "mail.kauke.test";

let aheadMs = 0;
const clock = { now: () => new Date(Date.now() + aheadMs), steadyMs: () => performance.now() };

/** TXT records by name; the domains with an MX record at this server. `isDown`: DNS does not answer. */
const zone = { txt: new Map<string, string>(), mx: new Set<string>(), isDown: false, looks: 0 };
const answer = <T>(record: T | undefined): DnsAnswer<T> =>
  zone.isDown
    ? { kind: "failed" }
    : record === undefined
      ? { kind: "no_record" }
      : { kind: "found", records: [record] };
const domainDns: DomainDns = {
  begin: () => ({
    txt: async (name) => answer(zone.txt.get(name)),
    mx: async (name) => {
      zone.looks += 1;
      return answer(zone.mx.has(name) ? { exchange: mailHost, priority: 10 } : undefined);
    },
    addresses: async () => ({ kind: "no_name" as const }),
    mailHostPassesSpf: async () => null,
  }),
};

const { mx, system, person } = await setUpForwarding({
  env: { KAUKE_MAIL_HOST: mailHost },
  overrides: { clock, domainChecks: { domainDns, domainPollMs: 20 } },
});
const { store } = system.server;
const userId = person.user.id;
const domain = "own.example";

async function provenDomain() {
  const added = await store.accountDomains.add(
    { userId, domain, token: "kauke-domain=t" },
    { now: clock.now(), max: 5 },
  );
  if (typeof added === "string") throw new Error(added);
  for (const { type, host, value } of wantedRecords(added, { mailHost, policyTarget: null }))
    if (type === "TXT") zone.txt.set(host, value);
  zone.mx.add(domain);
  const now = clock.now();
  await store.accountDomains.saveCheck(added, { seen: [], verdict: "proves", begunAt: now, now });
  return added;
}

const stateOf = async (id: string) => (await store.accountDomains.find(userId, id))?.state;
const titles = async () => (await store.notices.listForUser(userId)).map(({ kind }) => kind);

/** Days pass, in each of which the worker looks at the domain once or more. */
async function passDays(days: number) {
  for (let day = 0; day < days; day++) {
    const { looks } = zone;
    aheadMs += 26.5 * HOUR;
    await vi.waitFor(() => expect(zone.looks).toBeGreaterThan(looks), { timeout: 5000, interval: 10 });
  }
  // The last look is stored.
  await wait(50);
}

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${system.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

async function signIn() {
  const { email, password } = person;
  const response = await post("/api/auth/login", { email, password });
  expect(response.status).toBe(200);
  return { cookie: (response.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "" };
}

const message = "From: Ann <ann@sender.example>\r\nSubject: hi\r\nMessage-ID: <1@sender.example>\r\n\r\nbody\r\n";
const send = async (to: string) =>
  (await sendMail({ port: system.mxPort, from: "ann@sender.example", to, message })).last;

test("a domain whose MX record is gone warns, goes on for a week, defers for a week, refuses, and heals", async () => {
  const { id } = await provenDomain();
  const alias = anAlias(userId, { domain });
  await store.aliases.insert(alias);
  const address = `${alias.name}@${domain}`;
  const login = await person.createSmtpCredential(alias.id);
  const submit = async () => {
    const talk = await signedInTalk(system.submissionPort, login, { helo: "laptop.example" });
    const begun = await talk.ask(`MAIL FROM:<${address}>`);
    if (!begun.startsWith("250 ")) return begun;
    await talk.ask("RCPT TO:<ann@sender.example>");
    await talk.ask("DATA");
    const last = await talk.ask(`From: Me <${address}>\r\nTo: ann@sender.example\r\nSubject: hi\r\n\r\nbody\r\n.`);
    talk.close();
    return last;
  };
  /** Days have passed since the person signed in. */
  const compose = async () => {
    const { cookie } = await signIn();
    const job = { fromAliasId: alias.id, to: "ann@sender.example", subject: "hi", body: "hello" };
    return await post("/api/email-jobs", job, { cookie });
  };
  await passDays(2);
  expect(await stateOf(id)).toBe("proven");

  zone.isDown = true;
  await passDays(2);
  expect([await stateOf(id), await titles()]).toEqual(["proven", []]);
  zone.isDown = false;
  zone.mx.delete(domain);
  await passDays(1);
  await vi.waitFor(async () => expect(await stateOf(id)).toBe("failing"));
  expect(await titles()).toEqual(["domain_failing"]);
  expect(await send(address)).toMatch(/^250 /);
  expect(await submit()).toMatch(/^250 /);
  await passDays(4);
  expect(await stateOf(id)).toBe("failing");
  expect(await send(address)).toMatch(/^250 /);

  await passDays(3);
  await vi.waitFor(async () => expect(await stateOf(id)).toBe("suspended"));
  expect(await send(address)).toMatch(/^450 4\.2\.1 /);
  expect(await send(`postmaster@${domain}`)).toMatch(/^250 /);
  expect(await submit()).toMatch(/^550 5\.7\.1 Nothing can be sent from this alias now/);
  const refused = await compose();
  expect([refused.status, await refused.text()]).toEqual([
    400,
    expect.stringContaining("DNS records of its domain are missing or wrong"),
  ]);

  await passDays(7);
  await vi.waitFor(async () => expect(await stateOf(id)).toBe("closed"));
  expect(await send(address)).toMatch(/^550 5\.2\.1 /);
  expect(await send(`abuse@${domain}`)).toMatch(/^250 /);
  expect(await submit()).toMatch(/^550 5\.7\.1 Nothing can be sent from this alias: its domain is closed/);
  expect(await (await compose()).text()).toContain("its domain is closed");
  expect(await titles()).toEqual(["domain_closed", "domain_suspended", "domain_failing"]);

  zone.mx.add(domain);
  await passDays(1);
  await vi.waitFor(async () => expect(await stateOf(id)).toBe("proven"));
  expect(await titles()).toEqual(["domain_healed", "domain_closed", "domain_suspended", "domain_failing"]);
  mx.reset();
  expect(await send(address)).toMatch(/^250 /);
  expect(await mx.waitForMessages(1)).toHaveLength(1);
  expect(await submit()).toMatch(/^250 /);

  aheadMs += 4000 * DAY;
  zone.mx.delete(domain);
  await passDays(1);
  expect(await stateOf(id)).toBe("failing");
});
