/**
 * What becomes of an own domain whose MX record is gone: the server's clock is moved day by day while a fake DNS server
 * answers its own checks. Page, notices, SMTP, submission and Compose say the same in each state.
 */
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AccountDomainWire } from "@kauke/contract";
import { type FakeDnsServer, startFakeDnsServer } from "@kauke/testkit/fakes/fake-dns";
import type { Person } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { signedInTalk, type TalkLogin } from "@kauke/testkit/smtp-talk";
import type { Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { expectAccessible } from "../any-page/axe.ts";
import { seeToast } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { pressEnter } from "../browser/steps.ts";
import { domainRow, publishIn, withProvenDomain, zoneOf } from "./own-domain.ts";

/** More than a day, so that each domain is due for the server's check. */
const DAY_MS = 26.5 * 3_600_000;
const NARROW_PX = 320;

const folder = await mkdtemp(join(tmpdir(), "kauke-clock-"));
const clockFile = join(folder, "ahead");
let aheadMs = 0;
let dns: FakeDnsServer;
const site = runSite({
  env: async () => {
    dns = await startFakeDnsServer();
    await writeFile(clockFile, "0");
    return { KAUKE_DNS_SERVERS: dns.address, TEST_CLOCK_FILE: clockFile };
  },
});
afterAll(async () => {
  await dns.close();
  await rm(folder, { recursive: true, force: true });
});

/** The session of some days ago is over. @returns the cookie of a new one */
async function signIn({ email, password }: Person): Promise<string> {
  const response = await fetch(`${site.server.url}/api/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email, password }),
  });
  expect(response.status).toBe(200);
  return (response.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
}

const visitAgain = async (person: Person) => site.visit({ as: { cookie: await signIn(person) } });

async function lastLook(cookie: string, domain: string): Promise<string | null> {
  const response = await fetch(`${site.server.url}/api/account/domains`, { headers: { cookie } });
  const { domains } = (await response.json()) as { domains: AccountDomainWire[] };
  return domains.find((one) => one.domain === domain)?.checkedAt ?? null;
}

/** Moves the server's clock; in each of the days it looks at the domain, and stores what it saw. */
async function passDays(days: number, person: Person, domain: string): Promise<void> {
  let before = await lastLook(await signIn(person), domain);
  for (let day = 0; day < days; day++) {
    aheadMs += DAY_MS;
    // The server never reads half a number.
    await writeFile(`${clockFile}.next`, String(aheadMs));
    await rename(`${clockFile}.next`, clockFile);
    const cookie = await signIn(person);
    await expect.poll(() => lastLook(cookie, domain), { interval: 250 }).not.toBe(before);
    before = await lastLook(cookie, domain);
  }
}

async function shownState(page: Page, domain: string, state: AccountDomainWire["state"]): Promise<AccountDomainWire> {
  const read = async () => {
    const listed = await (await page.request.get("/api/account/domains")).json();
    return (listed as { domains: AccountDomainWire[] }).domains.find((one) => one.domain === domain);
  };
  await expect.poll(async () => (await read())?.state).toBe(state);
  return (await read()) as AccountDomainWire;
}

const month = new Intl.DateTimeFormat("en-US", { month: "short" });
function dayOf(iso: string | null): string {
  const day = new Date(iso ?? "");
  return `${day.getDate()} ${month.format(day)} ${day.getFullYear()}`;
}

async function seeNotice(page: Page, title: string, text: string): Promise<void> {
  await page.goto("/dashboard");
  const notice = page.getByRole("region", { name: "Notices" }).getByRole("listitem").first();
  await notice.getByText(title, { exact: true }).waitFor();
  await notice.getByText(text).waitFor();
}

const send = async (to: string) =>
  (
    await sendMail({
      port: site.server.mxPort,
      from: "ann@sender.example",
      to,
      message: `From: Ann <ann@sender.example>\r\nTo: ${to}\r\nSubject: hi\r\n\r\nbody\r\n`,
    })
  ).last;

/** @returns what a mail program is told at MAIL FROM */
async function submit(login: TalkLogin): Promise<string> {
  const talk = await signedInTalk(site.server.submissionPort, login, { helo: "laptop.example" });
  const reply = await talk.ask(`MAIL FROM:<${login.username}>`);
  talk.close();
  return reply;
}

/** @param since shown below From when nothing can be sent; `null`: the alias can be chosen */
async function seeInCompose(page: Page, { address, since }: { address: string; since: string | null }): Promise<void> {
  await page.goto("/compose");
  const from = page.getByLabel("From", { exact: true });
  if (since === null) {
    await from.getByRole("option", { name: address, exact: true }).waitFor({ state: "attached" });
    return;
  }
  const option = from.getByRole("option", { name: `${address} (records of the domain missing)`, exact: true });
  await option.waitFor({ state: "attached" });
  expect(await option.isDisabled()).toBe(true);
  const domain = address.slice(address.indexOf("@") + 1);
  await page
    .getByText(`Nothing can be sent from ${domain} now, since its records are missing or wrong since ${since}`)
    .waitFor();
}

test("a domain whose MX record is gone warns, is paused, is closed and heals, and every place says so", async () => {
  const domain = "lapsed-owned.example";
  const person = await site.person();
  const proven = await withProvenDomain(person, domain, dns.zone);
  const zone = zoneOf(proven);
  const { id: aliasId } = await person.createAlias({ alias: "shop", domain, forwardTo: "lapsed.real@inbox.example" });
  const address = `shop@${domain}`;
  const login = await person.createSmtpCredential(aliasId);
  expect([await send(address), await submit(login)]).toEqual([
    expect.stringMatching(/^250 /),
    expect.stringMatching(/^250 /),
  ]);

  publishIn(dns.zone, domain, { ...zone, [domain]: { txt: zone[domain]?.txt ?? [] } });
  await passDays(1, person, domain);
  const first = await visitAgain(person);
  const failing = await shownState(first.page, domain, "failing");
  const [since, goesOn] = [dayOf(failing.failingSince), dayOf(failing.stateUntil)];
  await seeNotice(
    first.page,
    "Records of a domain are missing",
    `Records of ${domain} are missing or wrong in DNS. Its mail goes on until ${goesOn}`,
  );
  await seeInCompose(first.page, { address, since: null });
  await first.page.goto("/settings/domains");
  const row = domainRow(first.page, domain);
  await row.getByText("Records missing", { exact: true }).waitFor();
  await row.getByText(`Records are missing or wrong since ${since}; mail goes on until ${goesOn}.`).waitFor();
  await expectAccessible(first);
  expect([await send(address), await submit(login)]).toEqual([
    expect.stringMatching(/^250 /),
    expect.stringMatching(/^250 /),
  ]);
  await first.close();

  await passDays(7, person, domain);
  const second = await visitAgain(person);
  const waits = dayOf((await shownState(second.page, domain, "suspended")).stateUntil);
  await seeNotice(second.page, "Domain paused", `Mail for ${domain} waits at its senders until ${waits}`);
  await seeInCompose(second.page, { address, since });
  await expectAccessible(second);
  await second.page.goto("/settings/domains");
  const paused = domainRow(second.page, domain);
  await paused.getByText("Paused", { exact: true }).waitFor();
  await paused
    .getByText(`Paused: records are missing or wrong since ${since}. Mail waits at its senders until ${waits}.`)
    .waitFor();
  await second.page.setViewportSize({ width: NARROW_PX, height: 700 });
  await expectAccessible(second);
  expect(await send(address)).toMatch(/^450 4\.2\.1 Mail for this domain is paused/);
  expect(await submit(login)).toMatch(/^550 5\.7\.1 Nothing can be sent from this alias now/);
  await second.close();

  await passDays(7, person, domain);
  const third = await visitAgain(person);
  const { page } = third;
  const reserved = dayOf((await shownState(page, domain, "closed")).stateUntil);
  await seeNotice(page, "Domain closed", `The domain stays yours until ${reserved}.`);
  await seeInCompose(page, { address, since });
  expect(await send(address)).toMatch(/^550 5\.2\.1 /);
  expect(await submit(login)).toMatch(/^550 5\.7\.1 Nothing can be sent from this alias: its domain is closed/);
  await page.goto("/settings/domains");
  const closed = domainRow(page, domain);
  await closed.getByText("Closed", { exact: true }).waitFor();
  await closed
    .getByText(`Closed: records are missing or wrong since ${since}. The domain is reserved for you until ${reserved}.`)
    .waitFor();
  await expectAccessible(third);

  publishIn(dns.zone, domain, zone);
  await pressEnter(page.getByRole("button", { name: /^Check Now/ }));
  await seeToast(page, "Domain Works", `Mail to ${domain} is accepted from now on.`);
  await closed.getByText("Works", { exact: true }).waitFor();
  await seeNotice(page, "Domain works again", `${domain} works again: its records in DNS are right`);
  await seeInCompose(page, { address, since: null });
  expect([await send(address), await submit(login)]).toEqual([
    expect.stringMatching(/^250 /),
    expect.stringMatching(/^250 /),
  ]);
});
