/** The first steps of a new account: each is done by what really happens, and they are gone for good afterwards. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { expectAccessible } from "../any-page/axe.ts";
import { widths } from "../browser/browser.ts";
import { seeGone, seePath, seeToast } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { createForm, destinationsIn, registerOnPage } from "../browser/steps.ts";
import { openServerMessage } from "../mail/server-messages.ts";

// Setting any rate limit turns on all of them, and with them the confirmation of mailboxes.
const site = runSite({ env: () => ({ KAUKE_LIMITS: "register=1000/3600" }) });
const strip = (page: Page) => page.getByRole("region", { name: "Get started" });
const steps = async (page: Page) => (await page.request.get("/api/account/first-steps")).json();

test.each(Object.values(widths))(
  "at %i pixels a new person makes an alias, sends a test, follows it and confirms the mailbox",
  async (width) => {
    const email = `rasa.${width}@people.example`;
    const visit = await site.visit({ width });
    const { page, context } = visit;
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await registerOnPage(page, email);
    await strip(page).getByText("Three steps, about two minutes.").waitFor();
    await expectAccessible(visit);
    await expect.poll(() => destinationsIn(page)).toBe(email);
    await createForm(page).getByLabel("Alias name and domain").fill(`shop-${width}`);
    await page.keyboard.press("Enter");
    await seeToast(page, "Alias Created", `Copied. The first mail brings a question to ${email}.`);
    await strip(page).getByText("1 of 3 done, about a minute left.").waitFor();
    await strip(page)
      .getByRole("button", { name: `Send a test to shop-${width}` })
      .click();
    await strip(page).getByText("2 of 3 done, one is left.").waitFor();
    if (width === widths.desktop) await strip(page).getByText("Sent, received, delivered.").waitFor();
    expect(await steps(page)).toEqual({ isHidden: false, hasMail: true, isPreview: true });
    await expectAccessible(visit);
    await strip(page).getByRole("link", { name: "Open the preview inbox" }).first().click();
    await seePath(page, "/preview");
    await page
      .getByRole("button", { name: /Your alias works/ })
      .first()
      .waitFor();
    await page.goto(await openServerMessage(page, "Is this mailbox yours?", email));
    await page.getByRole("button", { name: "This is mine", exact: true }).click();
    await page.getByRole("link", { name: "Go to Dashboard" }).click();
    await page.getByRole("switch").first().waitFor();
    expect(await strip(page).count()).toBe(0);
    await expect.poll(() => steps(page)).toMatchObject({ isHidden: true });
  },
);

test("hidden once, the steps are hidden in every browser", async () => {
  const person = await site.person();
  const { page } = await site.visit({ as: person });
  await page.goto("/dashboard");
  await strip(page).getByRole("button", { name: "Hide these steps" }).click();
  await seeGone(strip(page));
  await expect.poll(() => steps(page)).toMatchObject({ isHidden: true });
  const other = await site.visit({ as: person });
  await other.page.goto("/dashboard");
  await other.page.getByText("No aliases yet").waitFor();
  expect(await strip(other.page).count()).toBe(0);
});

test("nothing moves when the steps appear on a page that is loaded again", async () => {
  const { page } = await site.visit({ width: widths.phone, as: await site.person() });
  await page.addInitScript(`
    window.shifted = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) window.shifted += entry.value;
    }).observe({ type: "layout-shift", buffered: true });
  `);
  await page.goto("/dashboard");
  await strip(page).waitFor();
  await page.reload();
  await strip(page).waitFor();
  await page.getByText("No aliases yet").waitFor();
  expect(await page.evaluate<number>("shifted")).toBeLessThanOrEqual(0.02);
});

test("a test that takes its time is asked for every two seconds, as a message that is being sent", async () => {
  const person = await site.person();
  await person.createAlias({ alias: "patient", forwardTo: person.email });
  const { page, context } = await site.visit({ as: person });
  const askedAt: number[] = [];
  const running = { name: "received", state: "running", at: new Date().toISOString() };
  await context.route("**/test-message/*", (route) => {
    askedAt.push(Date.now());
    return route.fulfill({ json: { stages: [running] } });
  });
  await page.goto("/dashboard");
  await strip(page).getByRole("button", { name: "Send a test to patient" }).click();
  // One look is caused by the event that says that the test has come to its end.
  await expect.poll(() => askedAt.length, { timeout: 15_000 }).toBeGreaterThanOrEqual(5);
  expect((askedAt[4] ?? 0) - (askedAt[0] ?? 0)).toBeGreaterThan(4500);
});

test("what hinders a test is said where it was asked for", async () => {
  const person = await site.person();
  const { page, context, expectRefusal } = await site.visit({ as: person });
  expectRefusal(503, /test-message$/);
  await context.route("**/test-message", (route) =>
    route.fulfill({
      status: 503,
      json: { message: "A provider takes the mail of your aliases.", code: "unavailable" },
    }),
  );
  await page.goto("/dashboard");
  await expect.poll(() => destinationsIn(page)).toBe(person.email);
  await createForm(page).getByLabel("Alias name and domain").fill("hindered");
  await page.keyboard.press("Enter");
  await strip(page).getByRole("button", { name: "Send a test to hindered" }).click();
  await strip(page).getByText("A provider takes the mail of your aliases.").waitFor();
  await strip(page).getByRole("button", { name: "Send another test" }).waitFor();
});
