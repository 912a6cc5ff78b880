/** The admin page against the real server: who reaches it, and what an operator does there. */
import { type FakeDnsServer, startFakeDnsServer } from "@kauke/testkit/fakes/fake-dns";
import { freePort } from "@kauke/testkit/free-port";
import type { Person } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import type { Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { seeContent, seeFieldError, seeFocus, seeGone, seeHeading, seePath, seeToast } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { signIn } from "../browser/steps.ts";
import { chooseSection, expectAccessible, grantAdmin, newAdmin } from "./admin-steps.ts";

let dns: FakeDnsServer;

/** A relay that nothing listens for, so that mail waits in the queue, and a DNS that knows no name. */
const site = runSite({
  env: async () => {
    dns = await startFakeDnsServer();
    return { KAUKE_RELAY_URL: `smtp://127.0.0.1:${await freePort()}`, KAUKE_DNS_SERVERS: dns.address };
  },
});
afterAll(() => dns.close());

const row = (page: Page, text: string) => page.getByRole("listitem").filter({ hasText: text });

/** Queues one message to this host. */
async function queueMail(person: Person, host: string): Promise<void> {
  const alias = await person.createAlias({ forwardTo: `ann@${host}` });
  const { last } = await sendMail({
    port: site.server.mxPort,
    from: "shop@example.org",
    to: `${alias.alias}@${alias.domain}`,
    message: "From: shop@example.org\r\nSubject: Parcel\r\nMessage-ID: <1@example.org>\r\n\r\nIt is on its way.\r\n",
  });
  expect(last).toMatch(/^250 /);
}

test("an admin signs in, reads the checks, and retries and drops what waits for a host", async () => {
  const admin = await newAdmin(site, "operator@people.example");
  await queueMail(admin, "waiting.inbox.example");
  const visit = await site.visit();
  const { page } = visit;
  await page.goto("/admin");
  await signIn(page, admin.email, admin.password);
  await seeHeading(page, "Admin");
  await seePath(page, "/admin");
  await page.getByText(/^\d+ things? to fix$/).waitFor();
  await expectAccessible(visit);
  await page.getByRole("button", { name: "Check Again" }).click();
  await seeToast(page, "Checked a moment ago");

  await chooseSection(page, "Queue");
  await seeFocus(page.getByRole("heading", { name: "Queue", level: 2 }));
  await row(page, "waiting.inbox.example").waitFor();
  await page.getByRole("button", { name: "Retry waiting.inbox.example" }).click();
  await seeToast(page, "1 Tried Now", "waiting.inbox.example");
  const drop = page.getByRole("button", { name: "Drop waiting.inbox.example" });
  await expect.poll(() => drop.isEnabled()).toBe(true);
  await drop.click();
  const asked = page.getByRole("dialog", { name: "Give up 1 delivery?" });
  await asked.getByText("Owners and senders are told, as after any delivery that failed for good.").waitFor();
  await asked.getByRole("button", { name: "Drop 1" }).click();
  await seeToast(page, "1 Dropped", "waiting.inbox.example");
  await seeGone(row(page, "waiting.inbox.example"));

  await chooseSection(page, "Acts");
  await row(page, "Deliveries dropped")
    .filter({ hasText: "waiting.inbox.example" })
    .filter({ hasText: "you" })
    .waitFor();
  await row(page, "Deliveries retried").filter({ hasText: "waiting.inbox.example" }).waitFor();
  await row(page, "Admin page granted").filter({ hasText: "on the server" }).first().waitFor();
  await page.goBack();
  await page.getByRole("heading", { name: "Queue", level: 2 }).waitFor();
});

test("an admin invites somebody, revokes it, and deletes an account", async () => {
  const admin = await newAdmin(site, "inviting.operator@people.example");
  const other = await site.person("unwanted@people.example");
  const visit = await site.visit({ as: admin, width: 390 });
  const { page } = visit;
  await page.goto("/admin");
  await chooseSection(page, "Invitations");
  await page.getByText("No open invitations").waitFor();
  await page.getByRole("button", { name: "Create Invitation" }).click();
  const dialog = page.getByRole("dialog");
  const address = dialog.getByLabel("Only for this address");
  visit.expectRefusal(400, "/api/admin/invitations");
  await address.fill("no address");
  await dialog.getByRole("button", { name: "Create Invitation" }).click();
  await seeFieldError(address, "Valid email address is required");
  await address.fill("friend@people.example");
  await dialog.getByRole("button", { name: "Create Invitation" }).click();
  await dialog.getByText(/\/register#invite=[a-z2-7]{32}$/).waitFor();
  await dialog.getByRole("img", { name: "QR code of the invitation link" }).waitFor();
  await expectAccessible(visit);
  await dialog.getByRole("button", { name: "Done" }).click();
  await row(page, "For one address").waitFor();
  await page.getByRole("switch", { name: "Show addresses" }).click();
  await row(page, "friend@people.example").waitFor();
  await page.getByRole("button", { name: /^Revoke the invitation/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke Invitation" }).click();
  await seeToast(page, "Invitation Revoked");
  await page.getByText("No open invitations").waitFor();

  await page.getByRole("link", { name: "All sections" }).click();
  await chooseSection(page, "Accounts");
  await row(page, other.user.id).waitFor();
  await seeGone(page.getByText("unwanted@people.example"));
  await page.getByRole("switch", { name: "Show addresses" }).click();
  await page.getByRole("button", { name: "Delete account unwanted@people.example" }).click();
  const asked = page.getByRole("dialog", { name: "Delete account" });
  await asked.getByLabel("Type DELETE to confirm").fill("delete");
  await asked.getByRole("button", { name: "Delete Account" }).click();
  await seeToast(page, "Account Deleted", "unwanted@people.example");
  await seeGone(row(page, other.user.id));
  expect((await other.call("GET", "/api/auth/session")).status).toBe(401);

  const menu = page.getByRole("navigation", { name: "Menu" });
  await page.getByRole("button", { name: "Menu" }).click();
  await menu.getByRole("link", { name: "ADMIN" }).click();
  await seeGone(menu);
  await page.getByRole("navigation", { name: "Admin" }).waitFor();
});

test("an account that is no admin finds no page, no link and no calls; one that was sees it go", async () => {
  const person = await site.person("ordinary@people.example");
  const visit = await site.visit({ as: person });
  const { page } = visit;
  await page.goto("/admin");
  await seeHeading(page, "Page Not Found");
  expect(await page.getByRole("link", { name: "ADMIN" }).count()).toBe(0);
  const unknown = await person.call("GET", "/api/nothing");
  expect(await person.call("GET", "/api/admin/state")).toEqual(unknown);
  expect(unknown.status).toBe(404);

  await grantAdmin(site, person);
  await page.reload();
  await seeHeading(page, "Admin");
  await page.getByRole("button", { name: "Check Again" }).waitFor();
  await grantAdmin(site, person, false);
  visit.expectRefusal(404, /^\/api\/admin\//);
  await page.getByRole("navigation", { name: "Admin" }).getByRole("link", { name: "Accounts" }).click();
  await seeHeading(page, "Page Not Found");
});

test("without a connection the page says so, and loads once it is back", async () => {
  const admin = await newAdmin(site, "offline.operator@people.example");
  const visit = await site.visit({ as: admin });
  const { page, context } = visit;
  await page.goto("/admin");
  await page.getByRole("button", { name: "Check Again" }).waitFor();
  await seeContent(page);
  visit.expectFailure(/^\/api\/admin\//);
  await context.setOffline(true);
  await chooseSection(page, "Accounts");
  await page.getByText("The accounts could not be loaded").waitFor();
  await context.setOffline(false);
  await row(page, admin.user.id).waitFor();
});
