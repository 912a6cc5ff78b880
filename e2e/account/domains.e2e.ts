/**
 * Own domains of accounts, from Settings to mail: a fake DNS server plays what a person's DNS returns while its records
 * are missing, wrong, in conflict, failing and healed; then an alias on the domain receives, and answers with a
 * signature of that domain.
 */
import { readFile } from "node:fs/promises";
import { type FakeDnsName, type FakeDnsServer, startFakeDnsServer } from "@kauke/testkit/fakes/fake-dns";
import { signersOf } from "@kauke/testkit/programs/verify-dkim";
import { sendMail } from "@kauke/testkit/send-mail";
import type { Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { axeFindings, expectAccessible, sidewaysOverflow } from "../any-page/axe.ts";
import { widths } from "../browser/browser.ts";
import { seeFieldError, seeFocus, seeGone, seeHeading, seeToast, undoAct } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { aliasRow, createAliasOnPage, pressEnter } from "../browser/steps.ts";
import { listedDomain as listed, publishIn, domainRow as row, withDomain, zoneOf } from "./own-domain.ts";

let dns: FakeDnsServer;
const site = runSite({
  env: async () => {
    dns = await startFakeDnsServer();
    return { KAUKE_DNS_SERVERS: dns.address };
  },
});
afterAll(() => dns.close());

const NARROW_PX = 320;
const records = ["Ownership", "Incoming mail (MX)", "Allowed sender (SPF)", "Signature (DKIM)"];

const record = (page: Page, title: string) =>
  page
    .getByRole("listitem")
    .filter({ has: page.getByRole("heading", { name: title, level: 5, exact: true }) })
    .last();

async function addDomain(page: Page, typed: string): Promise<void> {
  await pressEnter(page.getByRole("button", { name: "Add Domain" }));
  const field = page.getByRole("dialog").getByLabel("Domain");
  await seeFocus(field);
  await page.keyboard.type(typed);
  await page.keyboard.press("Enter");
}

const publish = (domain: string, zone: Record<string, FakeDnsName>) => publishIn(dns.zone, domain, zone);

async function checkNow(page: Page): Promise<void> {
  await pressEnter(page.getByRole("button", { name: /^Check Now/ }));
}

async function seeStates(page: Page, states: Readonly<Record<string, string | RegExp>>): Promise<void> {
  for (const [title, text] of Object.entries(states)) await record(page, title).getByText(text).waitFor();
}

const send = (to: string, subject: string) =>
  sendMail({
    port: site.server.mxPort,
    from: "ann@sender.example",
    to,
    message: `From: Ann <ann@sender.example>\r\nTo: ${to}\r\nSubject: ${subject}\r\nMessage-ID: <${subject.replaceAll(" ", ".")}@sender.example>\r\n\r\nIs it still to let?\r\n`,
  });

async function openMessage(page: Page, subject: string, rcptTo: string): Promise<string> {
  await page.goto("/preview");
  await page.getByRole("listitem").getByRole("button", { name: subject }).filter({ hasText: rcptTo }).click();
  await seeHeading(page, subject);
  await expect.poll(() => new URL(page.url()).searchParams.get("message")).not.toBeNull();
  const id = new URL(page.url()).searchParams.get("message");
  return (await page.request.get(`/preview/api/messages/${id}/raw`)).text();
}

/** The field From in one line. */
const fromOf = (raw: string): string => /^From: (.*(?:\r?\n[ \t].*)*)/m.exec(raw)?.[1]?.replace(/\s+/g, " ") ?? "";

/** Domains with a valid signature, by the keys that DNS returns. */
const signers = (raw: string): Promise<string[]> =>
  signersOf(raw, (name) => {
    const entry = dns.zone[name];
    return (typeof entry === "function" ? entry() : entry)?.txt ?? [];
  });

test("a domain is added, its records are missing, wrong, in conflict, failing, healed, and then it works", async () => {
  const domain = "jonas-owned.example";
  const person = await site.person();
  const visit = await site.visit({ as: person });
  const { page } = visit;
  await page.goto("/settings/domains");
  await page.getByText("No own domains yet").waitFor();
  await addDomain(page, "https://Jonas-Owned.example/mail");
  await seeToast(page, "Domain Added");
  await seeFocus(page.getByRole("button", { name: "Add Domain" }));
  await row(page, domain).getByText("Waiting for DNS").waitFor();
  await seeStates(page, Object.fromEntries(records.map((title) => [title, "Not looked up yet"])));
  expect(await row(page, domain).getByText("needed", { exact: true }).count()).toBe(2);
  const wanted = await listed(person, domain);
  const [ownership] = wanted.records;
  await expectAccessible(visit);

  await checkNow(page);
  await seeToast(page, "Checked", "0 of 6 records found");
  await seeStates(page, Object.fromEntries(records.map((title) => [title, "Nothing found yet"])));
  expect((await send(`flat@${domain}`, "Too early")).last).toMatch(/^55\d /);

  publish(domain, {
    [`_kauke.${domain}`]: { txt: ["kauke-domain=of-somebody-else"] },
    [domain]: { mx: [[5, "mx.hosting.example"]], txt: ["v=spf1 include:_spf.hosting.example -all"] },
    [`kauke1._domainkey.${domain}`]: { txt: ["v=DKIM1; k=rsa; p=MIIB"] },
    [`_dmarc.${domain}`]: { txt: ["v=DMARC1; p=sometimes"] },
  });
  await checkNow(page);
  await seeStates(page, Object.fromEntries(records.map((title) => [title, "Found something else:"])));
  await record(page, "Ownership").getByText("kauke-domain=of-somebody-else", { exact: true }).waitFor();
  await record(page, "Incoming mail (MX)").getByText("5 mx.hosting.example", { exact: true }).waitFor();
  await seeStates(page, {
    "Forged mail (DMARC)": "Found something else:",
    "Next signature (DKIM)": "Nothing found yet",
  });

  const right = zoneOf(wanted);
  const atApex = right[domain] as FakeDnsName;
  publish(domain, {
    ...right,
    [domain]: {
      mx: [...(atApex.mx ?? []), [20, "mx.hosting.example"]],
      txt: [...(atApex.txt ?? []), "v=spf1 include:_spf.hosting.example -all"],
    },
  });
  await checkNow(page);
  await seeStates(page, {
    Ownership: "Found",
    "Incoming mail (MX)": "Other mail servers are listed too and would get part of the mail: remove them",
    "Allowed sender (SPF)": "There are two SPF records: join them into one",
    "Signature (DKIM)": "Found",
    "Next signature (DKIM)": "Found",
    "Forged mail (DMARC)": "Found",
  });
  await row(page, domain).getByText("Waiting for DNS").waitFor();
  await expectAccessible(visit);

  publish(domain, Object.fromEntries(Object.keys(right).map((name) => [name, { fails: true }])));
  await checkNow(page);
  await seeStates(page, Object.fromEntries(records.map((title) => [title, "DNS did not answer"])));

  // Healed, but slow, and the ownership record is still the old one.
  publish(domain, { ...right, [ownership?.host ?? ""]: { txt: ["kauke-domain=old"], delayMs: 700 } });
  await pressEnter(page.getByRole("button", { name: /^Check Now/ }));
  await page.getByRole("button", { name: /^Checking/ }).waitFor();
  await seeToast(page, "Checked", "5 of 6 records found");
  await row(page, domain).getByText("Waiting for DNS").waitFor();

  publish(domain, right);
  await checkNow(page);
  await seeToast(page, "Domain Works", `Mail to ${domain} is accepted from now on.`);
  await row(page, domain).getByText("Works", { exact: true }).waitFor();
  await row(page, domain).getByText("6 of 6 records found").waitFor();
  await expectAccessible(visit);
});

test("an alias on the domain receives a message, and its owner's answer and letter are signed by the domain", async () => {
  const domain = "rasa-owned.example";
  const person = await site.person();
  const added = await withDomain(person, domain);
  publish(domain, zoneOf(added));
  await person.call("POST", `/api/account/domains/${added.id}/check`);
  const visit = await site.visit({ as: person });
  const { page } = visit;
  const address = `flat@${domain}`;
  const owner = "rasa.real@inbox.example";
  await page.goto("/dashboard");
  await createAliasOnPage(page, { alias: "flat", domain, forwardTo: owner });
  await aliasRow(page, address).waitFor();

  const subject = "Flat by the river";
  expect((await send(address, subject)).last).toMatch(/^250 /);
  const received = await openMessage(page, subject, owner);
  expect(fromOf(received)).toMatch(new RegExp(`^"Ann .*@${domain}>$`));
  expect(await signers(received)).toEqual([domain]);

  await page.getByRole("button", { name: "Reply", exact: true }).click();
  const composer = page.getByRole("form", { name: "Reply", exact: true });
  await composer.getByRole("textbox").fill("It is. Come on Tuesday");
  await composer.getByRole("button", { name: "Send Reply" }).click();
  await seeToast(page, "Reply Sent", "It appears in the list once it is delivered.");
  const answered = await openMessage(page, `Re: ${subject}`, "ann@sender.example");
  expect(fromOf(answered)).toContain(address);
  expect(answered).not.toContain(owner);
  expect(await signers(answered)).toEqual([domain]);

  await page.goto("/compose");
  await expect.poll(() => page.getByLabel("From").locator("option:checked").innerText()).toBe(address);
  const letter = { To: "bo@other.example", Subject: "Keys of the flat", Message: "They are under the mat" };
  for (const [field, text] of Object.entries(letter)) await page.getByLabel(field, { exact: true }).fill(text);
  await page.getByRole("button", { name: "Send Email" }).click();
  await seeToast(page, "Email sent", "To bo@other.example");
  const sent = await openMessage(page, letter.Subject, letter.To);
  expect(fromOf(sent)).toContain(address);
  expect(await signers(sent)).toEqual([domain]);

  // New aliases may begin with the domain, and it stays while it has one.
  await page.goto("/settings/new-aliases");
  await page.getByRole("combobox", { name: "Default domain" }).selectOption(domain);
  await page.goto("/settings/domains");
  await row(page, domain).getByText("1 alias.").waitFor();
  await page.getByRole("button", { name: `Remove ${domain}` }).click();
  const dialog = page.getByRole("dialog", { name: "Remove domain" });
  await dialog.getByText("1 alias on it is deleted too, with its SMTP credentials and reply addresses.").waitFor();
  const typed = dialog.getByLabel(`Type ${domain} to confirm`);
  await typed.fill("rasa-owned");
  expect(await dialog.getByRole("button", { name: "Remove Domain" }).isDisabled()).toBe(true);
  await expectAccessible(visit);
  await typed.fill("");
  await page.keyboard.press("Escape");
  await page.goto("/dashboard");
  await expect
    .poll(() => page.getByRole("form", { name: "Create alias" }).getByLabel("Domain", { exact: true }).inputValue())
    .toBe(domain);
  await page.goto("/settings/domains");
  await page.getByRole("button", { name: `Remove ${domain}` }).click();
  await typed.fill(domain.toUpperCase());
  await page.keyboard.press("Enter");
  await seeToast(page, "Domain Removed", domain);
  await page.getByText("No own domains yet").waitFor();
  expect((await send(address, "Too late")).last).toMatch(/^55\d /);
  await page.goto("/dashboard");
  await page.getByText("No aliases yet").waitFor();
});

test("records of encrypted delivery are folded away, and are judged like the others once somebody opens them", async () => {
  const domain = "sealed-owned.example";
  const person = await site.person();
  const added = await withDomain(person, domain);
  const zone = zoneOf(added);
  const host = `_smtp._tls.${domain}`;
  publish(domain, { ...zone, [host]: {} });
  await person.call("POST", `/api/account/domains/${added.id}/check`);
  const visit = await site.visit({ as: person, width: NARROW_PX });
  const { page } = visit;
  await page.goto("/settings/domains");
  await pressEnter(page.getByRole("button", { name: `Records of ${domain}` }));
  await page.getByText("6 of 6 records found").waitFor();
  const reports = page.getByRole("listitem").filter({
    has: page.getByRole("heading", { name: "Reports (TLS-RPT)", level: 6 }),
  });
  await seeGone(reports);
  await pressEnter(page.locator("summary", { hasText: "Optional: encrypted delivery" }));
  await reports.last().getByText("Nothing found yet").waitFor();
  publish(domain, { ...zone, [host]: { txt: ["v=TLSRPTv1; rua=postmaster"] } });
  await checkNow(page);
  await reports.last().getByText("Found something else:").waitFor();
  expect(await sidewaysOverflow(visit)).toEqual([]);
  await expectAccessible(visit);
  publish(domain, zone);
  await checkNow(page);
  await reports.last().getByText("Found", { exact: true }).waitFor();
});

test("the page checks by itself while it is visible, and shows that the domain works", async () => {
  const domain = "auto-owned.example";
  const person = await site.person();
  const added = await withDomain(person, domain);
  const { page } = await site.visit({ as: person });
  await page.clock.install();
  await page.goto("/settings/domains");
  await seeStates(page, { Ownership: "Not looked up yet" });
  const asked = () => dns.questions.filter((question) => question === `TXT _kauke.${domain}`).length;
  await page.clock.fastForward(15_000);
  await seeStates(page, { Ownership: "Nothing found yet" });
  expect(asked()).toBe(1);
  await page.evaluate(`Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
    document.dispatchEvent(new Event("visibilitychange"))`);
  await page.clock.fastForward(60_000);
  publish(domain, zoneOf(added));
  expect(asked()).toBe(1);
  await page.evaluate(`delete document.visibilityState; document.dispatchEvent(new Event("visibilitychange"))`);
  await seeToast(page, "Domain Works");
  await row(page, domain).getByText("Works", { exact: true }).waitFor();
  expect(asked()).toBe(2);
});

test("a domain that another account has proven is not taken from it, and the page says so", async () => {
  const domain = "twice-owned.example";
  const [first, second] = [await site.person(), await site.person()];
  const proven = await withDomain(first, domain);
  publish(domain, zoneOf(proven));
  await first.call("POST", `/api/account/domains/${proven.id}/check`);
  expect((await listed(first, domain)).state).toBe("proven");
  const later = await withDomain(second, domain);
  publish(domain, zoneOf(later));
  const visit = await site.visit({ as: second });
  const { page } = visit;
  await page.goto("/settings/domains");
  visit.expectRefusal(409, /\/check$/);
  await checkNow(page);
  await page.getByRole("alert").getByText("Another account of this server has proven this domain").waitFor();
  await seeStates(page, { Ownership: "Found" });
  await row(page, domain).getByText("Waiting for DNS").waitFor();
  expect(await axeFindings(visit)).toEqual([]);
});

test("names that can't be added are refused in words; a domain without aliases is removed, all by keyboard", async () => {
  const domain = "xn--uolas-2wa16f.rima-owned.example";
  const shown = "ąžuolas.rima-owned.example";
  const person = await site.person();
  const visit = await site.visit({ as: person, width: widths.phone });
  const { page } = visit;
  await page.goto("/settings/domains");
  await page.getByText("No own domains yet").waitFor();
  await addDomain(page, "kauke");
  const dialog = page.getByRole("dialog");
  const field = dialog.getByLabel("Domain");
  visit.expectRefusal(400, "/api/account/domains");
  for (const [typed, why] of [
    ["kauke", "Please enter a domain name, such as example.com"],
    ["co.uk", "This is not a domain that one person can own"],
    ["sub.kauke.test", "This domain belongs to the server itself"],
  ] as const) {
    await field.fill(typed);
    await page.keyboard.press("Enter");
    await seeFieldError(field, why);
  }
  expect(await axeFindings(visit)).toEqual([]);
  await field.fill(shown);
  await page.keyboard.press("Enter");
  await seeGone(dialog);
  await row(page, shown).waitFor();
  const wanted = await listed(person, domain);
  expect(wanted.shownDomain).toBe(shown);
  visit.expectRefusal(409, "/api/account/domains");
  await addDomain(page, domain);
  await seeFieldError(field, "You have added this domain already");
  await page.keyboard.press("Escape");

  await page.setViewportSize({ width: NARROW_PX, height: 700 });
  expect(await sidewaysOverflow(visit)).toEqual([]);
  expect(await axeFindings(visit)).toEqual([]);
  await page.evaluate(`document.documentElement.dataset.theme = "dark"`);
  await expectAccessible(visit);

  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  for (const [part, text] of [
    ["name", wanted.records[3]?.host],
    ["value", wanted.records[3]?.value],
  ]) {
    await pressEnter(page.getByRole("button", { name: `Copy the ${part} of Signature (DKIM)` }));
    await seeToast(page, "Copied to clipboard");
    await expect.poll(() => page.evaluate("navigator.clipboard.readText()")).toBe(text);
  }
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    pressEnter(page.getByRole("button", { name: `Download Zone File of ${shown}` })),
  ]);
  expect(download.suggestedFilename()).toBe(`${domain}.zone`);
  expect(await readFile(await download.path(), "utf8")).toMatch(
    new RegExp(`^_kauke\\.${domain}\\.\t3600\tIN\tTXT\t"kauke-domain=\\w+"\n`),
  );

  await pressEnter(page.getByRole("button", { name: `Records of ${shown}` }));
  await seeGone(record(page, "Ownership"));
  await pressEnter(page.getByRole("button", { name: `Remove ${shown}` }));
  await pressEnter(page.getByRole("dialog").getByRole("button", { name: "Remove Domain" }));
  await seeToast(page, "Domain Removed", shown);
  await page.getByText("No own domains yet").waitFor();
  await seeFocus(page.getByRole("heading", { name: "Own domains", exact: true }));
});

test("the name of a domain, then of one alias, is what correspondents see, until it is cleared", async () => {
  const domain = "named-owned.example";
  const person = await site.person();
  const added = await withDomain(person, domain);
  publish(domain, zoneOf(added));
  await person.call("POST", `/api/account/domains/${added.id}/check`);
  const owner = "jonas.named@inbox.example";
  const { alias } = await person.createAlias({ forwardTo: owner, domain });
  const address = `${alias}@${domain}`;
  const visit = await site.visit({ as: person });
  const { page } = visit;
  /** @returns From of a reply to a new message */
  const replied = async (subject: string) => {
    expect((await send(address, subject)).last).toMatch(/^250 /);
    await openMessage(page, subject, owner);
    await page.getByRole("button", { name: "Reply", exact: true }).click();
    const composer = page.getByRole("form", { name: "Reply", exact: true });
    await composer.getByRole("textbox").fill("Yes");
    await composer.getByRole("button", { name: "Send Reply" }).click();
    await seeToast(page, "Reply Sent", "It appears in the list once it is delivered.");
    return fromOf(await openMessage(page, `Re: ${subject}`, "ann@sender.example"));
  };
  expect(await replied("Without a name")).toBe(address);

  await page.goto("/settings/domains");
  await pressEnter(page.getByRole("button", { name: `Change the display name of ${domain}` }));
  const ofDomain = page.getByRole("textbox", { name: "Display name" });
  await ofDomain.fill("boss@bank.example");
  await ofDomain.press("Enter");
  await seeFieldError(ofDomain, "A display name can't hold “@”, since it must not look like another address");
  await ofDomain.fill("Shop of Own");
  await page.getByText(`Correspondents see: Shop of Own <shop@${domain}>`).waitFor();
  await expectAccessible(visit);
  await ofDomain.press("Enter");
  await seeToast(page, "Display Name Changed");
  expect(await replied("Named by the domain")).toBe(`Shop of Own <${address}>`);

  await page.goto("/dashboard");
  await page.getByRole("link", { name: address }).click();
  await page.getByRole("button", { name: "Display name Shop of Own, as for its domain" }).click();
  const ofAlias = page.getByRole("textbox", { name: "Display name" });
  await ofAlias.fill("jonas.named at inbox.example");
  visit.expectRefusal(400, /\/api\/aliases\//);
  await ofAlias.press("Enter");
  await seeFieldError(ofAlias, "This display name would reveal one of your mailboxes");
  await ofAlias.fill("Jonas, Own");
  await page.getByText(`Correspondents see: Jonas, Own <${address}>`).waitFor();
  await expectAccessible(visit);
  await ofAlias.press("Enter");
  await page.getByRole("button", { name: "Display name Jonas, Own" }).waitFor();
  expect(await replied("Named by the alias")).toBe(`"Jonas, Own" <${address}>`);

  await page.goto("/compose");
  await page.getByText(`Correspondents see: Jonas, Own <${address}>`).waitFor();
  await page.goto("/dashboard");
  await page.getByRole("link", { name: address }).click();
  await page.getByRole("button", { name: "Display name Jonas, Own" }).click();
  await ofAlias.fill("");
  await page.getByText(`Correspondents see: Shop of Own <${address}>`).waitFor();
  await ofAlias.press("Enter");
  await page.getByRole("button", { name: "Display name Shop of Own, as for its domain" }).waitFor();
  await undoAct(page, "Display Name Changed");
  await expect.poll(() => ofAlias.inputValue()).toBe("Jonas, Own");
  await ofAlias.fill("");
  await ofAlias.press("Enter");
  await page.getByRole("button", { name: "Display name Shop of Own, as for its domain" }).waitFor();
  expect(await replied("Cleared again")).toBe(`Shop of Own <${address}>`);
});
