/** The page of own domains by keyboard alone: each element shows its focus, and nothing holds it. */
import { type FakeDnsServer, startFakeDnsServer } from "@kauke/testkit/fakes/fake-dns";
import { afterAll, expect, test } from "vitest";
import { pressAt, tabTo } from "../any-page/keyboard-walk.ts";
import { seeFieldError, seeFocus, seeGone, seeToast } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { domainRow, listedDomain, publishIn, zoneOf } from "./own-domain.ts";

let dns: FakeDnsServer;
const site = runSite({
  env: async () => {
    dns = await startFakeDnsServer();
    return { KAUKE_DNS_SERVERS: dns.address };
  },
});
afterAll(() => dns.close());

test("a domain is added, its record copied, checked and removed by keys alone, and Tab leaves the page", async () => {
  const domain = "keys-owned.example";
  const person = await site.person();
  const { page, context } = await site.visit({ as: person });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto("/settings/domains");
  await page.getByText("No own domains yet").waitFor();
  const add = page.getByRole("button", { name: "Add Domain" });
  await pressAt(page, add);
  const dialog = page.getByRole("dialog");
  const field = dialog.getByLabel("Domain");
  await seeFocus(field);
  await page.keyboard.press("Escape");
  await seeGone(dialog);
  await seeFocus(add);
  await page.keyboard.press("Enter");
  await seeFocus(field);
  await page.keyboard.press("Enter");
  await seeFieldError(field, "Please enter a domain name, such as example.com");
  await seeFocus(field);
  await page.keyboard.type(domain);
  await page.keyboard.press("Enter");
  await seeToast(page, "Domain Added");
  await seeFocus(add);

  const wanted = await listedDomain(person, domain);
  await pressAt(page, page.getByRole("button", { name: "Copy the value of Ownership" }));
  await seeToast(page, "Copied to clipboard");
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe(wanted.records[0]?.value);

  const check = page.getByRole("button", { name: /^Check/ });
  await pressAt(page, check, "Shift+Tab");
  await seeToast(page, "Checked", "0 of 6 records found");
  await seeFocus(check);
  publishIn(dns.zone, domain, zoneOf(wanted));
  await page.keyboard.press("Enter");
  await seeToast(page, "Domain Works");
  await seeFocus(check);

  const records = page.getByRole("button", { name: `Records of ${domain}` });
  await tabTo(page, records, "Shift+Tab");
  await page.keyboard.press("Space");
  await seeGone(check);
  expect(await records.getAttribute("aria-expanded")).toBe("false");
  await page.keyboard.press("Space");
  await check.waitFor();
  await seeFocus(records);

  // The last element of the page lets go of the focus, which comes back to its beginning.
  await tabTo(page, page.getByRole("link", { name: "Skip to content" }));

  const remove = page.getByRole("button", { name: `Remove ${domain}` });
  await pressAt(page, remove);
  await dialog.waitFor();
  await page.keyboard.press("Escape");
  await seeFocus(remove);
  await page.keyboard.press("Enter");
  await pressAt(page, dialog.getByRole("button", { name: "Remove Domain" }));
  await seeToast(page, "Domain Removed", domain);
  await seeGone(domainRow(page, domain));
  await seeFocus(page.getByRole("heading", { name: "Own domains", exact: true }));
});
