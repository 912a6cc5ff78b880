/**
 * Aliases that appear on an own domain, from the choice in Settings to mail: the first message to a name makes one, which
 * its owner keeps, labels, or deletes and refuses for good.
 */
import { appearMessages, type NoticeWire } from "@kauke/contract";
import { type FakeDnsServer, startFakeDnsServer } from "@kauke/testkit/fakes/fake-dns";
import type { Person } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectAccessible } from "../any-page/axe.ts";
import { pressAt, tabTo } from "../any-page/keyboard-walk.ts";
import type { Visit } from "../browser/browser.ts";
import { seeFieldError, seeFocus, seeGone, seeToast } from "../browser/see.ts";
import { runSite, type Site } from "../browser/site.ts";
import { aliasRow } from "../browser/steps.ts";
import { confirmMailbox } from "../extensions/key-person.ts";
import { domainRow, listedDomain, withProvenDomain } from "./own-domain.ts";

const NARROW_PX = 320;
const SENDER = "mail.sender.example";
const unknown = "550 5.1.1 No such address here";

let dns: FakeDnsServer;
beforeAll(async () => {
  dns = await startFakeDnsServer({ [SENDER]: { txt: ["v=spf1 ip4:127.0.0.1 -all"] } });
});
afterAll(() => dns.close());

let sent = 0;
/** @returns the last reply of the server */
async function send({ server }: Site, to: string, from = `ann@${SENDER}`): Promise<string> {
  const message = `From: Ann <${from}>\r\nSubject: Hello\r\nMessage-ID: <${++sent}@${SENDER}>\r\n\r\nHello.\r\n`;
  return (await sendMail({ port: server.mxPort, from, to, message })).last;
}

const part = (page: Page, domain: string): Locator =>
  domainRow(page, domain).getByRole("region", { name: "Aliases that appear" });
const opener = (page: Page, domain: string): Locator =>
  page.getByRole("button", { name: `Change which aliases appear on ${domain}` });

async function openPart(page: Page, domain: string): Promise<Locator> {
  await page.goto("/settings/domains");
  await opener(page, domain).click();
  return part(page, domain);
}

async function expectSound(visit: Visit): Promise<void> {
  const { page } = visit;
  const size = page.viewportSize();
  for (const width of [size?.width ?? NARROW_PX, NARROW_PX]) {
    await page.setViewportSize({ width, height: size?.height ?? 800 });
    await expectAccessible(visit);
  }
  if (size !== null) await page.setViewportSize(size);
}

describe("of an account that forwards", () => {
  const site = runSite({ env: () => ({ KAUKE_DNS_SERVERS: dns.address, KAUKE_AUTHENTICATION: "on" }) });

  async function begin(domain: string): Promise<{ person: Person; visit: Visit; page: Page }> {
    const person = await site.person();
    await withProvenDomain(person, domain, dns.zone);
    const visit = await site.visit({ as: person });
    return { person, visit, page: visit.page };
  }

  test("the first mail to any name makes an alias, which is kept, labelled or refused, all by keyboard", async () => {
    const domain = "ona-owned.example";
    const { person, visit, page } = await begin(domain);
    await page.goto("/settings/domains");
    await part(page, domain).getByText("Off: mail to unknown names is refused.").waitFor();
    expect(await send(site, `early@${domain}`)).toBe(unknown);
    await pressAt(page, opener(page, domain));
    await tabTo(page, page.getByRole("radio", { name: "None" }));
    await page.keyboard.press("ArrowRight");
    await part(page, domain).getByText("Not saved yet.").waitFor();
    expect(await send(site, `early@${domain}`)).toBe(unknown);
    await tabTo(page, page.getByRole("button", { name: "Save Choice" }));
    await page.keyboard.press("Enter");
    await seeToast(page, "Aliases That Appear Changed");
    await part(page, domain).getByText("The first mail to any name makes an alias.").waitFor();
    await expectSound(visit);

    await page.goto("/dashboard");
    await page.getByText("No aliases yet").waitFor();
    expect(await send(site, `Shop.K7@${domain}`)).toMatch(/^250 /);
    await aliasRow(page, `shop.k7@${domain}`).getByText("Made by first mail from sender.example").waitFor();
    expect(await send(site, `spam@${domain}`, "eve@unproven.example")).toMatch(/^250 /);
    await aliasRow(page, `spam@${domain}`).getByText("Made by first mail from an unproven sender").waitFor();
    await expectSound(visit);

    const made = page.getByRole("region", { name: "How this alias was made" });
    await page.getByRole("link", { name: `shop.k7@${domain}` }).press("Enter");
    await made.getByText("Made by first mail from sender.example").waitFor();
    await expectSound(visit);
    await pressAt(page, made.getByRole("button", { name: "Label" }));
    await seeFocus(page.getByRole("textbox", { name: "New label" }));
    await page.keyboard.type("Shops");
    await page.keyboard.press("Enter");
    await page.getByRole("checkbox", { name: "Shops", checked: true }).waitFor();
    await pressAt(page, made.getByRole("button", { name: "Keep" }), "Shift+Tab");
    await seeToast(page, "Alias Kept", `shop.k7@${domain}`);
    await seeGone(made);
    await seeFocus(page.getByRole("region", { name: `shop.k7@${domain}`, exact: true }));
    await seeGone(aliasRow(page, `shop.k7@${domain}`).getByText("Made by first mail"));
    await page.keyboard.press("Escape");

    await seeFocus(page.getByRole("link", { name: `shop.k7@${domain}` }));
    await page.getByRole("link", { name: `spam@${domain}` }).press("Enter");
    await pressAt(page, made.getByRole("button", { name: "Delete and Refuse for Good" }));
    const dialog = page.getByRole("dialog", { name: "Delete and refuse for good" });
    await dialog.waitFor();
    await expectAccessible(visit);
    await pressAt(page, dialog.getByRole("button", { name: "Delete and Refuse" }));
    await seeToast(page, "Alias Refused", `spam@${domain}`);
    await seeGone(aliasRow(page, `spam@${domain}`));
    await seeFocus(page.getByRole("heading", { name: "Aliases", exact: true }));
    expect(await send(site, `spam@${domain}`)).toBe(unknown);

    await page.goto("/settings/domains");
    await pressAt(page, opener(page, domain));
    const refused = page.getByRole("list", { name: "Refused for good" });
    await refused.getByText("spam", { exact: true }).waitFor();
    await expectSound(visit);
    await pressAt(page, page.getByRole("button", { name: `Allow spam@${domain} again` }));
    await seeGone(refused);
    await seeFocus(part(page, domain).getByRole("heading", { name: "Aliases that appear" }));
    expect(await send(site, `spam@${domain}`)).toMatch(/^250 /);
    expect((await person.listAliases()).map(({ alias }) => alias).sort()).toEqual(["shop.k7", "spam"]);
  });

  test("chosen beginnings are shown with names that match and one that does not, and wrong ones are refused", async () => {
    const domain = "lina-owned.example";
    const { person, visit, page } = await begin(domain);
    const open = await openPart(page, domain);
    await open.getByRole("radio", { name: "Chosen beginnings" }).click();
    const field = open.getByLabel("Beginnings of names, with commas between them");
    visit.expectRefusal(400, /\/domains\//);
    await field.press("Enter");
    await seeFieldError(field, appearMessages.prefixesNone);
    await seeFocus(field);
    await field.fill("Shop., news-");
    await open.getByText(`Would appear: shop.shoes@${domain}, news-2026@${domain}`).waitFor();
    await open.getByText(`Would not: hello@${domain}`).waitFor();
    await field.fill("(a+)+$");
    await seeGone(open.getByText(/^Would appear/));
    await field.press("Enter");
    await seeFieldError(field, appearMessages.prefix);
    await expectSound(visit);
    expect((await listedDomain(person, domain)).appear).toBe("off");

    await field.fill("shop., news-");
    await open.getByRole("button", { name: "Save Beginnings" }).click();
    await seeToast(page, "Aliases That Appear Changed");
    await open.getByText("makes an alias: shop., news-").waitFor();
    expect(await send(site, `hello@${domain}`)).toBe(unknown);
    expect(await send(site, `shop.shoes@${domain}`)).toMatch(/^250 /);
    await page.reload();
    await domainRow(page, domain).getByText("1 alias.").waitFor();
  });
});

describe("with limits", () => {
  const site = runSite({
    env: () => ({ KAUKE_DNS_SERVERS: dns.address, KAUKE_LIMITS: "register=1000/3600,alias_appear_domain=2/3600" }),
  });

  test("nothing appears before a mailbox is confirmed, and of a flood of names the owner is told once", async () => {
    const domain = "ieva-owned.example";
    const person = await site.person();
    const { id } = await withProvenDomain(person, domain, dns.zone);
    await person.call("PATCH", `/api/account/domains/${id}`, { appear: "all" });
    const visit = await site.visit({ as: person });
    const { page } = visit;
    const open = await openPart(page, domain);
    const note = open.getByText(/^Nothing appears before a mailbox of yours is confirmed/);
    await note.waitFor();
    await expectSound(visit);
    await confirmMailbox(site, person);
    await openPart(page, domain);
    await open.getByRole("radio", { name: "Every name", checked: true }).waitFor();
    await seeGone(note);

    await page.goto("/dashboard");
    const replies: string[] = [];
    for (let number = 0; number < 6; number++) replies.push(await send(site, `guess${number}@${domain}`));
    expect(replies.filter((reply) => reply.startsWith("250 "))).toHaveLength(2);
    expect(replies.at(-1)).toBe(unknown);
    await aliasRow(page, `guess1@${domain}`).waitFor();
    const told = ({ kind }: NoticeWire) => kind === "appear_flood";
    await expect.poll(async () => (await person.notices()).filter(told)).toHaveLength(1);
    await page.getByText(`Mail to many unknown names at ${domain}`).waitFor();
    expect(await page.getByText("Many unknown names").count()).toBe(1);
    await expectSound(visit);
  });
});
