/** Settings by groups: the index, a page for each group, the palette, older links, and what a visitor and a typo get. */
import { settingsGroups } from "@kauke/contract";
import { expect, test } from "vitest";
import { axeFindings, sidewaysOverflow } from "../any-page/axe.ts";
import { widths } from "../browser/browser.ts";
import { seeFocus, seeGone, seeHeading, seePath } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { settingsPart } from "../browser/steps.ts";

const site = runSite();
const NARROW_PX = 320;

test("/settings begins with the encryption keys; each group is one page beside the index", async () => {
  const visit = await site.visit({ width: widths.desktop, as: await site.person() });
  const { page } = visit;
  await page.goto("/settings");
  await page.getByText("Generate and manage your encryption settings.").waitFor();
  await page.getByText("No encryption keys yet").waitFor();
  const index = page.getByRole("navigation", { name: "Settings" });
  expect(await index.getByRole("link").count()).toBe(settingsGroups.length + 1);
  await settingsPart(page, "Mail");
  await seePath(page, "/settings/mail");
  await page.getByRole("switch", { name: "Leak guard" }).waitFor();
  expect(await index.getByRole("link", { name: "Mail", exact: true }).getAttribute("aria-current")).toBe("page");
  expect(await page.getByText("No encryption keys yet").count()).toBe(0);
  await settingsPart(page, "Account");
  await page.getByText("this device", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Delete Account" }).click();
  await page.getByRole("dialog", { name: "Delete account" }).waitFor();
  await page.keyboard.press("Escape");
  await page.goBack();
  await page.getByRole("switch", { name: "Leak guard" }).waitFor();
  expect(await axeFindings(visit)).toEqual([]);
});

test("on a phone the index is the page and a group the next page, with a way back", async () => {
  const visit = await site.visit({ width: widths.phone, as: await site.person() });
  const { page } = visit;
  await page.goto("/settings");
  const index = page.getByRole("navigation", { name: "Settings" });
  await settingsPart(page, "Programs");
  await page.getByText("No API keys yet").waitFor();
  expect(await index.isVisible()).toBe(false);
  await page.setViewportSize({ width: NARROW_PX, height: 700 });
  expect(await sidewaysOverflow(visit)).toEqual([]);
  await page.getByRole("link", { name: "All settings" }).click();
  await seePath(page, "/settings");
  await index.waitFor();
  expect(await sidewaysOverflow(visit)).toEqual([]);
});

test("the palette finds a setting by its name and leads to it", async () => {
  const { page } = await site.visit({ as: await site.person() });
  await page.goto("/settings");
  await page.getByRole("button", { name: "Search settings" }).click();
  const field = page.getByRole("combobox", { name: "Alias or command" });
  await field.fill("delete acc");
  await page.getByRole("option", { name: "Settings: Account, Delete account" }).waitFor();
  await page.keyboard.press("Enter");
  await seeGone(field);
  await seePath(page, "/settings/account");
  await seeFocus(page.getByRole("heading", { name: "Delete account" }));
});

test("links from when settings were one page lead to the group; unknown groups are not found", async () => {
  const visit = await site.visit({ as: await site.person() });
  const { page } = visit;
  await page.goto("/settings#api-keys");
  await seePath(page, "/settings/programs");
  await seeFocus(page.getByRole("heading", { name: "API keys", exact: true }));
  visit.expectRefusal(404, "/settings/nothing");
  const response = await page.goto("/settings/nothing");
  expect(response?.status()).toBe(404);
  await page.getByRole("heading", { level: 1 }).waitFor();
  expect(await page.getByRole("heading", { name: "Settings" }).count()).toBe(0);
});

test("signed out, every group shows the sign-in form, and the group after it", async () => {
  const person = await site.person();
  const { page } = await site.visit();
  const response = await page.goto("/settings/mail");
  expect(response?.status()).toBe(200);
  await seeHeading(page, "Welcome Back");
  await page.getByLabel("Email").fill(person.email);
  await page.getByLabel("Password").fill(person.password);
  await page.getByRole("button", { name: "Sign In" }).click();
  await page.getByRole("switch", { name: "Leak guard" }).waitFor();
  await seePath(page, "/settings/mail");
});
