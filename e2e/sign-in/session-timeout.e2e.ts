/**
 * Inactivity, by the page's own clock: the warning, the end of the session, what counts as activity, and the server's
 * part.
 */
import { sessionTimes } from "@kauke/contract";
import { isLongRun } from "@kauke/testkit/long-rounds";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { seeRequestsDone } from "../browser/requests-done.ts";
import { seeFocus, seeGone, seeHeading, seePath, toasts } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { createForm, resumeSession, sessionOver, setDestinations } from "../browser/steps.ts";
import { usually, usuallyAt } from "../browser/variants.ts";
import { expectSignedOut, isShown, minutes, openStill, seconds, soon, warning } from "./still-session.ts";

const site = runSite();

describe.each(usuallyAt("desktop"))("at %i pixels", (width) => {
  test("the warning opens after 25 minutes, counts five minutes down by seconds, and at its end the person is logged out", async () => {
    const still = await openStill(site, "/dashboard", { width });
    const { page } = still;
    await page.clock.fastForward(25 * minutes - 10);
    expect(await warning(page).count()).toBe(0);
    await page.clock.runFor(10);
    await warning(page).waitFor();
    await warning(page).getByText("You will be logged out for inactivity in").waitFor();
    const timer = warning(page).getByRole("timer");
    expect(await timer.innerText()).toBe("5:00");
    await page.clock.runFor(1000);
    await expect.poll(() => timer.innerText()).toBe("4:59");
    await page.clock.runFor(1000);
    await expect.poll(() => timer.innerText()).toBe("4:58");
    await page.clock.fastForward(4 * minutes + 57 * seconds);
    await expect.poll(() => timer.innerText()).toBe("0:01");
    await page.clock.runFor(1000);
    await soon(page, isShown(toasts(page).getByText("Successfully logged out", { exact: true })));
    await seePath(page, "/home");
    await expectSignedOut(still);
  });

  test("Stay Logged In closes the warning and extends the session, also at the server; Escape does the same", async () => {
    const { page, person } = await openStill(site, "/dashboard", { width });
    for (const stay of [
      () => warning(page).getByRole("button", { name: "Stay Logged In" }).click(),
      () => page.keyboard.press("Escape"),
    ]) {
      await page.clock.fastForward(27 * minutes);
      await warning(page).waitFor();
      await seeFocus(warning(page).getByRole("button", { name: "Stay Logged In" }));
      const asked = page.waitForResponse("**/api/auth/session");
      await stay();
      expect((await asked).status()).toBe(200);
      await seeGone(warning(page));
      await page.clock.fastForward(24 * minutes);
      expect(await warning(page).count()).toBe(0);
      await page.keyboard.press("Shift");
    }
    expect((await person.call("GET", "/api/auth/session")).status).toBe(200);
  });

  test("Logout Now logs out", async () => {
    const still = await openStill(site, "/settings", { width });
    const { page } = still;
    await page.clock.fastForward(26 * minutes);
    await warning(page).getByRole("button", { name: "Logout Now" }).click();
    await soon(page, isShown(toasts(page).getByText("Logged Out", { exact: true })));
    await seePath(page, "/home");
    await expectSignedOut(still);
  });
});

describe("activity", () => {
  const acts: readonly [string, (page: Page) => Promise<unknown>][] = [
    ["the mouse", (page: Page) => page.mouse.move(200, 300)],
    ["a key", (page: Page) => page.keyboard.press("a")],
    ["a click", (page: Page) => page.mouse.click(5, 400)],
    ["scrolling", (page: Page) => page.evaluate("window.dispatchEvent(new Event('scroll'))")],
    ["a touch", (page: Page) => page.touchscreen.tap(5, 400)],
    ["focus", (page: Page) => page.evaluate("document.querySelector('button').focus()")],
  ];

  test.each(usually(acts, 1))("%s starts the 30 minutes again", async (_, act) => {
    const { page } = await openStill(site, "/dashboard", { hasTouch: true });
    await page.clock.fastForward(24 * minutes);
    await act(page);
    await page.clock.fastForward(24 * minutes);
    expect(await warning(page).count()).toBe(0);
    await page.clock.fastForward(1 * minutes);
    await warning(page).waitFor();
  });

  test("while the warning is open moving the pointer changes nothing", async () => {
    const { page } = await openStill(site);
    await page.clock.fastForward(26 * minutes);
    await warning(page).waitFor();
    await page.mouse.move(10, 10);
    await page.mouse.move(300, 300);
    await page.keyboard.press("Shift");
    await page.clock.runFor(1000);
    await expect.poll(() => warning(page).getByRole("timer").innerText()).toBe("3:59");
  });

  test("is reported to the server once in five minutes, and not while the person is away", async () => {
    const { page } = await openStill(site);
    let asked = 0;
    page.on("request", (request) => void (asked += request.url().endsWith("/api/auth/session") ? 1 : 0));
    for (let minute = 0; minute < 20; minute++) {
      await page.keyboard.press("Shift");
      await page.clock.fastForward(1 * minutes);
    }
    const whenBusy = asked;
    expect(whenBusy).toBeGreaterThanOrEqual(3);
    expect(whenBusy).toBeLessThanOrEqual(1 + (20 * 60) / sessionTimes.keepAliveSeconds);
    for (let minute = 0; minute < 23; minute++) await page.clock.fastForward(1 * minutes);
    expect(asked - whenBusy).toBeLessThanOrEqual(2);
  });
});

describe("the server", () => {
  test("ends the session: an active page learns it at the next check, and asks for a sign-in", async () => {
    const { page, person, expectRefusal } = await openStill(site, "/settings");
    // The event stream and what it has fetched again learn it too.
    expectRefusal(401, /^\/api\//);
    // A request of the page that is refused after the logout would be reported.
    await seeRequestsDone(page);
    await person.call("POST", "/api/auth/logout");
    await page.clock.fastForward(5 * minutes);
    await soon(page, isShown(sessionOver(page)));
    await page.clock.resume();
    await resumeSession(page, person.email, person.password);
    await seeHeading(page, "Settings");
    await seePath(page, "/settings");
  });

  test.runIf(isLongRun)("without a response ends nothing", async () => {
    const { page, context, expectFailure } = await openStill(site, "/settings");
    // A response that arrived later would show that the server can be reached.
    await seeRequestsDone(page);
    expectFailure("/api/auth/session");
    await context.route("**/api/auth/session", (route) => route.abort("connectionrefused"));
    await page.clock.fastForward(4 * minutes);
    await page.keyboard.press("Shift");
    await page.clock.fastForward(2 * minutes);
    await soon(page, isShown(page.getByText("The server can’t be reached.", { exact: false })));
    await seeHeading(page, "Settings");
  });

  test.runIf(isLongRun)("still knows the session after a restart", async () => {
    const { page, person } = await openStill(site, "/settings");
    await site.restart();
    await page.clock.fastForward(26 * minutes);
    await warning(page).getByRole("button", { name: "Stay Logged In" }).click();
    await seeGone(warning(page));
    expect((await person.call("GET", "/api/auth/session")).status).toBe(200);
  });
});

test("the warning covers an open dialog, which stays open beneath it", async () => {
  const { page } = await openStill(site);
  await page.getByRole("button", { name: "Delete Account" }).click();
  const beneath = page.getByRole("dialog", { name: "Delete account" });
  await beneath.getByLabel("Type DELETE to confirm").fill("DEL");
  await page.clock.fastForward(26 * minutes);
  await warning(page).waitFor();
  expect(await page.evaluate("document.querySelectorAll('.scrim[inert]').length")).toBe(1);
  await page.keyboard.press("Escape");
  await seeGone(warning(page));
  await beneath.waitFor();
  await page.keyboard.press("Escape");
  await seeGone(beneath);
});

test.runIf(isLongRun)("Escape closes a dialog before the toast behind it", async () => {
  const { page } = await site.visit({ as: await site.person() });
  await page.goto("/dashboard");
  await page.getByRole("button", { name: "Delete Account" }).waitFor();
  await createForm(page).getByLabel("Alias name and domain").fill("admin");
  await setDestinations(page, "jonas@inbox.example");
  await page.getByRole("button", { name: "Delete Account" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete account" });
  await dialog.waitFor();
  // A toast that appears while the dialog is open, as one about a queued message may.
  await page.evaluate("document.querySelector('main form').requestSubmit()");
  await toasts(page).waitFor();
  await page.keyboard.press("Escape");
  await seeGone(dialog);
  expect(await toasts(page).and(page.locator("[data-state=open]")).count()).toBe(1);
  await page.keyboard.press("Escape");
  await expect.poll(() => toasts(page).and(page.locator("[data-state=open]")).count()).toBe(0);
});
