/**
 * The visible states of the web app (specification section 4), on a phone and on a wide window, in both themes;
 * and the timing of three things: status polling, the redirect after deletion, tooltips.
 */
import type { Page, Response } from "playwright-core";
import { expect, test } from "vitest";
import { type Visit } from "../browser/browser.ts";
import { seePath } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { aliasSwitch } from "../browser/steps.ts";
import { everyVariant, usually, usuallyAt, type Variant, variants } from "../browser/variants.ts";
import { sidewaysOverflow } from "./axe.ts";
import { type State, stateWalks, type Witness } from "./states.ts";

const site = runSite();

async function open(signedIn: boolean, width?: number): Promise<Witness> {
  const person = await site.person();
  const { alias, domain } = await person.createAlias({ forwardTo: "jonas@inbox.example" });
  const visit = await site.visit({ width, ...(signedIn ? { as: person } : {}) });
  return { ...visit, person, address: `${alias}@${domain}` };
}

const pageColor = ({ page }: Visit) =>
  page.evaluate("getComputedStyle(document.documentElement).backgroundColor") as Promise<string>;

async function expectEverywhere(witness: Witness, { name, seen, unseen = () => [] }: State): Promise<void> {
  for (const element of seen(witness)) await element.waitFor();
  const colors: Record<string, string> = {};
  const look = async ({ width, theme }: Variant) => {
    const isShown = await Promise.all(seen(witness).map((element) => element.isVisible()));
    const isHidden = await Promise.all(unseen(witness).map(async (element) => (await element.count()) === 0));
    const sticking = await sidewaysOverflow(witness);
    const found = { isShown: isShown.every(Boolean), isHidden: isHidden.every(Boolean), sticking };
    expect({ name, width, theme, ...found }).toEqual({
      name,
      width,
      theme,
      isShown: true,
      isHidden: true,
      sticking: [],
    });
    colors[theme] = await pageColor(witness);
  };
  await everyVariant(witness, look, usually(variants, 0, 3));
  expect(colors.light).not.toBe(colors.dark);
}

test.each(Object.entries(stateWalks))("%s: each state is shown, wide and narrow, in both themes", async (_, walk) => {
  const witness = await open(walk.signedIn);
  for (const state of walk.states) {
    await state.reach(witness);
    await expectEverywhere(witness, state);
  }
});

const start = new Date("2026-11-21T10:00:00");
const later = new Date("2026-11-21T10:10:00");
/** Precision with which times are measured, in milliseconds. */
const STEP_MS = 20;

/** Records the page's own time of each request for the state of a message. */
const noteQuestions = `{
  window.askedAt = [];
  const ask = window.fetch;
  window.fetch = (path, ...rest) => {
    if (String(path).endsWith("/status")) window.askedAt.push(Date.now());
    return ask(path, ...rest);
  };
}`;

/** Waits until a response has arrived and the page has handled it. */
async function handled(page: Page, answer: Promise<Response>): Promise<void> {
  await (await answer).finished();
  await page.evaluate(
    "new Promise((done) => { const it = new MessageChannel(); it.port1.onmessage = done; it.port2.postMessage(0); })",
  );
}

test.each(usuallyAt("phone"))(
  "at %i pixels the state of a queued message is requested every 2000 ms",
  async (width) => {
    const { page, context } = await open(true, width);
    const aliases = [{ id: "00000000-0000-4000-8000-000000000009", alias: "shop", domain: "kauke.test" }];
    const job = { jobId: "00000000-0000-4000-8000-000000000001", canUndo: true, undoSeconds: 30 };
    await context.route("**/with-smtp", (route) => route.fulfill({ json: { aliases } }));
    await context.route("**/api/email-jobs", (route) => route.fulfill({ status: 201, json: job }));
    await context.route("**/status", (route) =>
      route.fulfill({ json: { success: true, status: "pending", currentRetries: 0, maxRetries: 3 } }),
    );
    await context.addInitScript(noteQuestions);
    await page.clock.install({ time: start });
    await page.goto("/compose");
    await page.getByLabel("From").selectOption({ label: "shop@kauke.test" });
    await page.getByLabel("To", { exact: true }).fill("rasa@outside.example");
    await page.getByLabel("Subject").fill("Dates");
    await page.getByLabel("Message").fill("Labas");
    await page.clock.pauseAt(later);
    await page.getByRole("button", { name: "Send Email" }).click();
    const askedAt = () => page.evaluate("window.askedAt") as Promise<number[]>;
    for (const count of [1, 2, 3]) {
      const answer = page.waitForResponse("**/status");
      while ((await askedAt()).length < count) await page.clock.runFor(STEP_MS);
      await handled(page, answer);
    }
    const [first = 0, second = 0, third = 0] = await askedAt();
    for (const between of [second - first, third - second]) {
      expect(between).toBeGreaterThanOrEqual(2000);
      expect(between).toBeLessThanOrEqual(2000 + 2 * STEP_MS);
    }
  },
);

test.each(usuallyAt("desktop"))("at %i pixels a deleted account leads to / after 2000 ms", async (width) => {
  const { page, address } = await open(true, width);
  await page.clock.install({ time: start });
  await page.goto("/dashboard");
  await aliasSwitch(page, address).waitFor();
  await page.getByRole("button", { name: "Delete Account" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete account" });
  await dialog.getByLabel("Type DELETE to confirm").fill("DELETE");
  await page.clock.pauseAt(later);
  const gone = page.waitForResponse("**/api/account");
  await dialog.getByRole("button", { name: "Delete Account" }).click();
  await handled(page, gone);
  // Runs the app's timers of zero length.
  await page.clock.runFor(STEP_MS);
  await page.clock.runFor(2000 - 3 * STEP_MS);
  expect(new URL(page.url()).pathname).toBe("/dashboard");
  await page.getByText("Account Deleted", { exact: true }).waitFor();
  await page.clock.runFor(3 * STEP_MS);
  await seePath(page, "/");
});

test("a tooltip opens after 700 ms, the next one at once if within 300 ms, later ones again after 700 ms", async () => {
  const { page, address } = await open(true);
  const tooltip = page.getByRole("tooltip");
  const named = (name: string) => page.getByRole("button", { name: `${name} ${address}` });
  await page.clock.install({ time: start });
  await page.goto("/dashboard");
  await aliasSwitch(page, address).waitFor();
  await page.mouse.move(0, 0);
  await page.clock.pauseAt(later);
  await named("Copy").hover();
  await page.clock.runFor(680);
  expect(await tooltip.count()).toBe(0);
  await page.clock.runFor(30);
  await expect.poll(() => tooltip.allInnerTexts()).toEqual(["Copy"]);
  for (const [wait, isThere] of [
    [250, true],
    [400, false],
  ] as const) {
    await page.keyboard.press("Escape");
    await expect.poll(() => tooltip.count()).toBe(0);
    await page.mouse.move(0, 0);
    await page.clock.runFor(wait);
    await named("Edit").hover();
    await page.clock.runFor(20);
    await expect.poll(() => tooltip.count()).toBe(isThere ? 1 : 0);
  }
  await page.clock.runFor(700);
  await expect.poll(() => tooltip.allInnerTexts()).toEqual(["Edit"]);
});
