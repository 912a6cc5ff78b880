/** Guessed names at domains on which aliases appear: who can fill rows, and what others pay. */
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { smtpTalk } from "@kauke/testkit/smtp-talk";
import { expect, test, vi } from "vitest";

const CAP = 20;
const ACCOUNT_CAP = 100;
/** A session ends after this many refused recipients. */
const ERRORS = 20;

/** The client's own limits would stop the flood before the domain's do. */
const unlimited = ["mail_unknown_ip", "mail_recipients_ip", "mail_connections_ip", "mail_messages_ip"];
const { system, person } = await setUpForwarding({
  env: { KAUKE_LIMITS: unlimited.map((name) => `${name}=10000000/60`).join(",") },
});
const { store } = system.server;
const message = "From: Ann <ann@sender.example>\r\nSubject: hi\r\n\r\nbody\r\n";
const send = async (to: string | readonly string[]) => await sendMail({ port: system.mxPort, to, message });

let made = 0;
async function openDomain(owner: Person): Promise<string> {
  const domain = `guessed${++made}.example`;
  const userId = owner.user.id;
  const added = await store.accountDomains.add({ userId, domain, token: "t" }, { now: new Date(), max: 50 });
  if (typeof added === "string") throw new Error(added);
  const now = new Date();
  await store.accountDomains.saveCheck({ userId, id: added.id }, { seen: [], verdict: "proves", begunAt: now, now });
  await owner.call("PATCH", `/api/account/domains/${added.id}`, { appear: "all" });
  return domain;
}

const countOn = async (owner: Person, domain: string) =>
  (await owner.listAliases()).filter((alias) => alias.domain === domain).length;

/** @returns milliseconds for all of them */
async function guess(names: readonly string[]): Promise<number> {
  const begun = performance.now();
  for (let from = 0; from < names.length; from += ERRORS - 1) {
    const talk = await smtpTalk(system.mxPort);
    await talk.ask("EHLO client.example");
    await talk.ask("MAIL FROM:<eve@sender.example>");
    for (const name of names.slice(from, from + ERRORS - 1))
      expect(await talk.ask(`RCPT TO:<${name}>`)).toBe("550 5.1.1 No such address here");
    talk.close();
  }
  return performance.now() - begun;
}

const namesAt = (domain: string, count: number) => Array.from({ length: count }, (_, at) => `guess${at}@${domain}`);

test("thousands of guessed names make aliases up to the cap, then cost as unknown names elsewhere, and hinder nobody", async () => {
  const domain = await openDomain(person);
  const other = await registerPerson(system.url);
  const others = await openDomain(other);
  // Names of one message beyond the cap are deferred with it, and refused when it is sent again.
  expect((await send(namesAt(domain, CAP + 30))).last).toMatch(/^451 4\.7\.1 /);
  expect(await countOn(person, domain)).toBe(CAP);
  const appearing = vi.spyOn(store.appearingDomains, "find");
  const reads = vi.spyOn(store.users, "find");
  const rows = vi.spyOn(store.rateLimits, "take");
  const names = namesAt(domain, 3000).slice(CAP);
  const elsewhere = namesAt("kauke.test", 3000).slice(CAP);
  await guess(names.slice(0, 1000));
  expect(appearing.mock.calls.length).toBeGreaterThanOrEqual(1000);
  expect([reads.mock.calls.length, rows.mock.calls.length]).toEqual([0, 0]);
  vi.restoreAllMocks();
  await guess(elsewhere.slice(0, 1000));
  const ms = { full: 0, elsewhere: 0 };
  for (let from = 1000; from < names.length; from += 100) {
    ms.full += await guess(names.slice(from, from + 100));
    ms.elsewhere += await guess(elsewhere.slice(from, from + 100));
  }
  console.log(`1,980 names: ${Math.round(ms.full)} ms at the full domain, ${Math.round(ms.elsewhere)} ms elsewhere`);
  expect(ms.full).toBeLessThan(2 * ms.elsewhere);
  expect(await countOn(person, domain)).toBe(CAP);
  // Names that have appeared, other accounts and this account's own aliases are as before.
  expect((await send(`guess3@${domain}`)).last).toMatch(/^250 /);
  expect((await send(`shop@${others}`)).last).toMatch(/^250 /);
  expect(await countOn(other, others)).toBe(1);
  const notices = (await person.notices()).filter(({ kind }) => kind === "appear_flood");
  expect(notices).toHaveLength(1);
  expect(notices[0]?.text).toContain(domain);
});

test("messages sent at the same time make no more than the cap", async () => {
  const owner = await registerPerson(system.url);
  const domain = await openDomain(owner);
  const names = namesAt(domain, 3 * CAP);
  const sent = await Promise.all(names.map((name) => send(name)));
  expect(sent.filter(({ last }) => last.startsWith("250 ")).length).toBe(CAP);
  expect(await countOn(owner, domain)).toBe(CAP);
});

test("an account with many domains has a cap over all of them", async () => {
  const owner = await registerPerson(system.url);
  for (let round = 0; round * CAP < ACCOUNT_CAP + CAP; round += 1) {
    const domain = await openDomain(owner);
    for (let from = 0; from < CAP; from += 10) await send(namesAt(domain, CAP).slice(from, from + 10));
  }
  expect(await owner.listAliases()).toHaveLength(ACCOUNT_CAP);
});
