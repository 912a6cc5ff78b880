/** The proof of mail on the admin page, with the mail host of the operator's own mailbox played by the test. */
import { type FakeDnsServer, startFakeDnsServer } from "@kauke/testkit/fakes/fake-dns";
import type { FakeMx } from "@kauke/testkit/fakes/fake-mx";
import {
  attaching,
  homeZone,
  judgedAtHome,
  type Letter,
  startHomeMx,
  withHomeMailbox,
  writeFromHome,
} from "@kauke/testkit/probe-mailbox";
import type { Page } from "playwright-core";
import { afterAll, beforeEach, expect, test } from "vitest";
import { seeFieldError, seeGone, seeHeading, seePath } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { chooseSection, expectAccessible, newAdmin } from "./admin-steps.ts";

let home: FakeMx;
let dns: FakeDnsServer;
let settings: Awaited<ReturnType<typeof withHomeMailbox>>;

const site = runSite({
  env: async () => {
    home = await startHomeMx();
    dns = await startFakeDnsServer(homeZone);
    settings = await withHomeMailbox();
    const world = { NODE_EXTRA_CA_CERTS: settings.issuerFile, TEST_DIRECT_PORT: String(home.port) };
    return { ...settings.env, ...world, KAUKE_DNS_SERVERS: dns.address };
  },
});
afterAll(async () => {
  await home.close();
  await dns.close();
  await settings.remove();
});
beforeEach(() => home.reset());

const headline = (page: Page, title: string) =>
  page.getByRole("region", { name: "Result" }).getByRole("heading", { name: title }).waitFor();

/** Waits for this line with this state. */
async function seeLine(page: Page, title: string | RegExp, mark = "Good"): Promise<void> {
  const line = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: title, level: 4 }) });
  await line.getByRole("img", { name: mark }).waitFor();
}

const write = async (to: string, letter?: Letter) =>
  expect(await writeFromHome(site.server.mxPort, to, letter)).toMatch(/^250 /);

/** Starts a proof and writes to the address that the page shows. @returns the address, and our answer to it */
async function answered(page: Page): Promise<{ address: string; answer: string }> {
  await page.getByRole("button", { name: "Start Proof" }).click();
  await headline(page, "Waiting for your message");
  const address = (await page.locator(".probe-address code").textContent()) ?? "";
  await write(address);
  await seeLine(page, /^It arrived after \d+ seconds?$/);
  const [answer] = await home.waitForMessages(1);
  expect(answer).toMatchObject({ envelopeFrom: address, rcptTo: ["me@home.example"] });
  await headline(page, "Mail goes both ways. Now reply to our message");
  return { address, answer: answer?.bytes.toString() ?? "" };
}

test("an admin proves mail both ways, and the page fills by itself until one sentence says so", async () => {
  const admin = await newAdmin(site, "proving.operator@people.example");
  const visit = await site.visit({ as: admin });
  const { page } = visit;
  await page.goto("/admin");
  await chooseSection(page, "Proof of mail");
  await page.evaluate("window.isSamePage = true");
  const { address, answer } = await answered(page);
  await seeLine(page, /^It came encrypted TLSv1\.3, TLS_/);
  await seeLine(page, "The certificate is valid for the mail host");
  for (const method of ["SPF", "DKIM", "DMARC"]) await seeLine(page, `Their ${method} is right`);
  await seeLine(page, "Their host took our reply");
  await seeLine(page, "Your reply to it comes back", "Not yet");

  await chooseSection(page, "Queue");
  await chooseSection(page, "Proof of mail");
  await write(address, attaching(judgedAtHome(answer)));
  await seeLine(page, "Your reply to it came back");
  for (const method of ["SPF", "DKIM", "DMARC"]) await seeLine(page, `Our ${method} is right`);
  await headline(page, "Mail works both ways");
  await page.getByRole("button", { name: "No, in the Inbox" }).click();
  await seeLine(page, "It lay in the inbox");
  await seeGone(page.getByText("Did our message lie in the spam folder?"));
  await headline(page, "Mail works both ways");
  expect(await page.evaluate("window.isSamePage")).toBe(true);
  await expectAccessible(visit);
  await page.reload();
  await headline(page, "Mail works both ways");
});

test("an admin pastes the header of our message, and each thing to fix leads to its section", async () => {
  const admin = await newAdmin(site, "pasting.operator@people.example");
  const visit = await site.visit({ as: admin, width: 390 });
  const { page } = visit;
  await page.goto("/admin?section=proof");
  const { address, answer } = await answered(page);
  const id = /^Message-ID: (.*)\r$/im.exec(answer)?.[1] ?? "";
  await write(address, { fields: [`In-Reply-To: ${id}`] });
  await headline(page, "Nearly done: say how our message looked");

  const field = page.getByLabel("Header of our message");
  const read = page.getByRole("button", { name: "Read Header" });
  await read.click();
  await seeFieldError(field, "Paste the header of our message here.");
  await field.fill("It came, thanks.");
  await read.click();
  await seeFieldError(
    field,
    "Nothing in it says how our SPF, DKIM and DMARC were judged. Copy the header of our message whole.",
  );
  await expectAccessible(visit);
  await field.fill(judgedAtHome(answer, "dkim=fail header.d=kauke.test; spf=pass; dmarc=pass"));
  await read.click();
  await seeLine(page, "Our SPF is right");
  await seeLine(page, /^Our DKIM failed/, "To fix");
  await headline(page, "1 thing to fix");
  await seeGone(field);
  await page.getByRole("button", { name: "Yes, in Spam" }).click();
  await seeLine(page, "It lay in the spam folder", "To fix");
  await headline(page, "2 things to fix");
  await expectAccessible(visit);

  await page.getByRole("main").getByRole("link", { name: "Domains" }).click();
  await seeHeading(page, "Admin");
  await page.getByRole("heading", { name: "Domains", level: 2 }).waitFor();
  await page.getByRole("link", { name: "Overview" }).click();
  await page.getByRole("heading", { name: "Overview", level: 2 }).waitFor();
  await page.goBack();
  await page.goBack();
  await headline(page, "2 things to fix");
  await page.getByRole("button", { name: "Start Over" }).click();
  await headline(page, "Waiting for your message");
  await seePath(page, "/admin");
});
