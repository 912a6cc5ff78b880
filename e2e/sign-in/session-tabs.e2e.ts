/** Inactivity and signing in and out across tabs, and in a tab that was suspended. */
import { isLongRun } from "@kauke/testkit/long-rounds";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { seeRequestsDone } from "../browser/requests-done.ts";
import { seeHeading, seePath, seeToast } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { seeSessionOver, signIn } from "../browser/steps.ts";
import {
  expectSignedOut,
  isShown,
  later,
  minutes,
  type Still,
  soon,
  stillTime,
  storedKeys,
  visitOf,
  warning,
  watchIsThere,
} from "./still-session.ts";

const site = runSite();

describe("several tabs", () => {
  async function openTwo(
    paths: [string, string] = ["/dashboard", "/settings/account"],
  ): Promise<Still & { other: Page }> {
    const person = await site.person();
    const visit = await visitOf(site, person);
    const other = await visit.context.newPage();
    await visit.page.clock.install({ time: stillTime });
    for (const [index, page] of [visit.page, other].entries()) {
      await page.goto(paths[index] as string);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await watchIsThere(page);
      // A request still in flight at a sign-out would be refused.
      await seeRequestsDone(page);
    }
    return { ...visit, person, other };
  }

  test("activity in one counts for all; the warning opens in all, and closes in all", async () => {
    const { page, other } = await openTwo();
    await page.clock.pauseAt(later);
    await page.keyboard.press("Shift");
    await page.clock.fastForward(20 * minutes);
    await other.keyboard.press("Shift");
    await expect.poll(() => other.evaluate("1")).toBe(1);
    await page.clock.fastForward(20 * minutes);
    for (const tab of [page, other]) expect(await warning(tab).count()).toBe(0);
    await page.clock.fastForward(6 * minutes);
    for (const tab of [page, other]) await warning(tab).waitFor();
    await other.getByRole("button", { name: "Stay Logged In" }).click();
    for (const tab of [page, other]) await soon(tab, async () => (await warning(tab).count()) === 0);
  });

  test("signing out in one signs out all at once: no data of the person is left, the URL stays", async () => {
    const still = await openTwo();
    const { page, other, person } = still;
    await page.getByRole("button", { name: "Log out" }).click();
    await seeToast(page, "Logged Out", "Successfully logged out");
    await seeHeading(other, "Welcome Back");
    await seePath(other, "/settings/account");
    expect(await other.evaluate("document.body.innerText")).not.toContain(person.email.split("@")[0]);
    await expect.poll(() => storedKeys(other)).toEqual([]);
  });

  test.runIf(isLongRun)("signing in in one signs in all, as the same person", async () => {
    const person = await site.person();
    const visit = await visitOf(site, null);
    const other = await visit.context.newPage();
    await other.goto("/settings/account");
    await seeHeading(other, "Welcome Back");
    await visit.page.goto("/auth");
    await signIn(visit.page, person.email, person.password);
    await seeHeading(visit.page, "Email Forwarding");
    await seeHeading(other, "Settings");
    await other
      .getByRole("banner")
      .getByText(person.email.split("@")[0] as string)
      .waitFor();
  });

  test("if somebody else signs in, nothing of the previous person is left", async () => {
    const [ona, rasa] = [await site.person(), await site.person()];
    await ona.createAlias({ alias: "only-onas", forwardTo: "ona@inbox.example" });
    const visit = await visitOf(site, ona);
    const other = await visit.context.newPage();
    await other.goto("/dashboard");
    await other.getByRole("switch", { name: /^only-onas@/ }).waitFor();
    await visit.page.goto("/auth");
    await signIn(visit.page, rasa.email, rasa.password);
    await seeHeading(visit.page, "Email Forwarding");
    await other
      .getByRole("banner")
      .getByText(rasa.email.split("@")[0] as string)
      .waitFor();
    await other.getByText("No aliases yet").waitFor();
    expect(await other.evaluate("document.body.innerText")).not.toContain("only-onas");
  });

  test.runIf(isLongRun)("at the end of the time all are signed out", async () => {
    const still = await openTwo();
    const { page, other } = still;
    await page.clock.pauseAt(later);
    await page.keyboard.press("Shift");
    await page.clock.fastForward(29 * minutes);
    for (const tab of [page, other]) await warning(tab).waitFor();
    await page.clock.runFor(1 * minutes);
    for (const tab of [page, other]) await soon(tab, isShown(tab.getByRole("link", { name: "SIGN IN" })));
    await expectSignedOut(still);
  });
});

describe("a tab that was suspended", () => {
  /** Advances time without any timer firing, as in a suspended tab; then the tab becomes visible. */
  const wake = (page: Page, ms: number) =>
    page.evaluate(`{
      const slept = Date.now() + ${ms};
      Date.now = () => slept;
      document.dispatchEvent(new Event("visibilitychange"));
      window.dispatchEvent(new Event("focus"));
      document.body.checkVisibility() && document.body.innerText !== "" ? "seen" : "hidden";
    }`);

  test("shows nothing of the person when it is resumed past the limit, and is signed out", async () => {
    const person = await site.person();
    const { page, context } = await visitOf(site, person);
    await page.goto("/dashboard");
    await seeHeading(page, "Email Forwarding");
    await watchIsThere(page);
    await seeRequestsDone(page);
    expect(await wake(page, 45 * minutes)).toBe("hidden");
    await seeToast(page, "Logged Out");
    await seePath(page, "/home");
    await expect.poll(() => page.evaluate("document.body.hidden")).toBe(false);
    await expect.poll(async () => (await person.call("GET", "/api/auth/session")).status).toBe(401);
    await context.clearCookies();
  });

  test.runIf(isLongRun)("stays signed in if there was activity in another tab meanwhile", async () => {
    const person = await site.person();
    const visit = await visitOf(site, person);
    const other = await visit.context.newPage();
    for (const tab of [visit.page, other]) {
      await tab.goto("/dashboard");
      await seeHeading(tab, "Email Forwarding");
      await watchIsThere(tab);
    }
    // The other tab has the time at which the suspended tab is resumed, so the activity it reports is recent.
    await other.evaluate(`{ const real = Date.now.bind(Date); Date.now = () => real() + ${45 * minutes}; }`);
    await other.evaluate(`{
      const channel = new BroadcastChannel("session");
      channel.onmessage = ({ data }) => {
        if (data.kind === "who-was-active") channel.postMessage({ kind: "activity", at: Date.now() });
      };
    }`);
    expect(await wake(visit.page, 45 * minutes)).toBe("hidden");
    await expect.poll(() => visit.page.evaluate("document.body.hidden")).toBe(false);
    await seeHeading(visit.page, "Email Forwarding");
    expect((await person.call("GET", "/api/auth/session")).status).toBe(200);
  });
});

describe("a page that the browser kept for Back", () => {
  /**
   * Sends the events by which browsers tell a page that it is put into their back/forward cache and restored. @returns
   * whether it was hidden when restored
   */
  const comeBack = (page: Page) =>
    page.evaluate(`{
      for (const name of ["pagehide", "pageshow"]) window.dispatchEvent(new PageTransitionEvent(name, { persisted: true }));
      document.body.hidden;
    }`);
  const isHidden = (page: Page) => page.evaluate("document.body.hidden");

  async function openDashboard() {
    const person = await site.person();
    const visit = await visitOf(site, person);
    await visit.page.goto("/dashboard");
    await seeHeading(visit.page, "Email Forwarding");
    await watchIsThere(visit.page);
    return { ...visit, person };
  }

  test("is hidden until the server has said whose session it is, however long that takes", async () => {
    const { page, context, expectFailure } = await openDashboard();
    const answered = Promise.withResolvers<void>();
    let asked = 0;
    expectFailure("/api/auth/session");
    await context.route("**/api/auth/session", async (route) => {
      if (++asked === 1) return route.abort();
      await answered.promise;
      await route.continue();
    });
    expect(await comeBack(page)).toBe(true);
    await expect.poll(() => asked).toBe(2);
    expect(await isHidden(page)).toBe(true);
    answered.resolve();
    await expect.poll(() => isHidden(page)).toBe(false);
    await seeHeading(page, "Email Forwarding");
  });

  test.runIf(isLongRun)("shows nothing of a session that has ended meanwhile", async () => {
    const { page, person } = await openDashboard();
    expect((await person.call("POST", "/api/auth/logout")).status).toBe(200);
    expect(await comeBack(page)).toBe(true);
    await seeSessionOver(page);
    await expect.poll(() => isHidden(page)).toBe(false);
    expect(await page.evaluate("document.body.innerText")).not.toContain(person.email.split("@")[0]);
  });

  test("becomes the page of the person who signed in meanwhile", async () => {
    const { page, context, person } = await openDashboard();
    const other = await site.person();
    const [name = "", value = ""] = other.cookie.split("=");
    await context.addCookies([{ name, value, url: site.server.url }]);
    expect(await comeBack(page)).toBe(true);
    await page
      .getByRole("banner")
      .getByText(other.email.split("@")[0] as string)
      .waitFor();
    expect(await page.evaluate("document.body.innerText")).not.toContain(person.email.split("@")[0]);
  });

  test("keeps no private key that was pasted", async () => {
    const { page } = await openDashboard();
    await page.goto("/decrypt");
    await page.getByRole("tab", { name: "Manual Decrypt" }).click();
    const field = page.getByLabel("Private Key");
    await field.fill("AGE-SECRET-KEY-1QQQ");
    expect(await field.inputValue()).not.toBe("");
    await comeBack(page);
    expect(await field.inputValue()).toBe("");
  });
});
