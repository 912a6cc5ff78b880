/** The SMTP panel sets up mail programs: a test of the connection, and a profile behind a link that works once. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { expectAccessible } from "../any-page/axe.ts";
import { seeFocus, seeGone } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { openSmtp } from "../browser/steps.ts";
import { everyVariant, usuallyAt } from "../browser/variants.ts";

const site = runSite();

async function openPanel(width?: number) {
  const person = await site.person();
  const alias = await person.createAlias({ forwardTo: "jonas.panel@inbox.example" });
  const { password } = await person.createSmtpCredential(alias.id);
  const address = `${alias.alias}@${alias.domain}`;
  const visit = await site.visit({ as: person, width });
  await visit.context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await visit.page.goto("/dashboard");
  await openSmtp(visit.page, address);
  const panel = visit.page.getByRole("region", { name: `SMTP settings of ${address}` });
  return { ...visit, visit, person, alias, panel, password };
}

const clipboard = (page: Page) => page.evaluate("navigator.clipboard.readText()") as Promise<string>;

test.each(usuallyAt("phone"))(
  "at %i pixels the connection is tested by keyboard, each stage in words",
  async (width) => {
    const { page, panel, person, alias } = await openPanel(width);
    const lastUse = panel.getByRole("definition").last();
    expect(await lastUse.innerText()).toBe("Never");
    const button = panel.getByRole("button", { name: "Test connection" });
    await button.focus();
    await page.keyboard.press("Enter");
    const stages = panel.getByRole("status");
    await stages.getByText("Signing in works.").waitFor();
    expect((await stages.getByRole("listitem").allInnerTexts()).slice(1)).toEqual([
      "The server takes connections.",
      "Its certificate is self-signed, so mail programs refuse it or ask.",
      "Signing in works.",
    ]);
    await seeFocus(button);
    await expect.poll(() => lastUse.innerText()).not.toBe("Never");
    await person.call("PATCH", `/api/aliases/${alias.id}/toggle`, { active: false });
    await page.keyboard.press("Enter");
    await stages.getByText("The alias is paused, so nobody can sign in.").waitFor();
  },
);

test("a profile's link is shown as text and QR code, hidden again, and works once", async () => {
  const { visit, page, panel, password } = await openPanel();
  const make = panel.getByRole("button", { name: "iPhone, iPad, Mac" });
  await make.focus();
  await page.keyboard.press("Enter");
  const profile = panel.getByRole("group", { name: "Set up an iPhone, iPad or Mac" });
  await profile.getByRole("img", { name: "QR code of the profile's link" }).waitFor();
  await seeFocus(profile.getByRole("button", { name: "Copy Link" }));
  await page.keyboard.press("Enter");
  await expect.poll(() => clipboard(page)).toMatch(/\/mail-profile\/[a-z2-7]{32}$/);
  const link = await clipboard(page);
  expect(await profile.getByRole("link", { name: "Open here" }).getAttribute("href")).toBe(link);
  expect(await panel.innerText()).not.toContain(password);
  await panel.getByRole("button", { name: "Test connection" }).click();
  await panel.getByText("Signing in works.").waitFor();
  await everyVariant(visit, () => expectAccessible(visit));
  await profile.getByRole("button", { name: "Copy Link" }).focus();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await seeGone(profile);
  await seeFocus(make);
  const open = () => fetch(`${site.server.url}${new URL(link).pathname}`);
  expect(await (await open()).text()).toContain(password);
  expect((await open()).status).toBe(404);
});

test("a profile's link is hidden when it has ended", async () => {
  const { page, panel } = await openPanel();
  await page.clock.install();
  await panel.getByRole("button", { name: "iPhone, iPad, Mac" }).click();
  const profile = panel.getByRole("group", { name: "Set up an iPhone, iPad or Mac" });
  await profile.waitFor();
  await page.clock.fastForward("10:01");
  await seeGone(profile);
});
