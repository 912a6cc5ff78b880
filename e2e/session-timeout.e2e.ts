/** Inactivity, by the page's own clock: the warning, its end, other tabs, a tab that slept, the server's word; what is wiped. */
import { generateKeyPair } from "@kauke/age";
import { sessionTimes } from "@kauke/contract";
import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { type Visit, type VisitOptions, widths } from "./browser.ts";
import { seeFocus, seeGone, seeHeading, seePath, seeToast, toasts } from "./see.ts";
import { runSite, type Site } from "./site.ts";
import { createForm, signIn } from "./steps.ts";

const site: Site = runSite();
const seconds = 1000;
const minutes = 60 * seconds;
const start = new Date("2026-11-21T10:00:00");
const later = new Date(start.getTime() + 2 * minutes);

type Person = Awaited<ReturnType<Site["person"]>>;

interface Still extends Visit {
  person: Person;
}

const warning = (page: Page): Locator => page.getByRole("dialog", { name: "Session Timeout Warning" });
const storedKeys = (page: Page) => page.evaluate("Object.keys(localStorage).sort()");

/** A signed-in page on which time stands still, right after somebody was active there. */
async function openStill(path = "/dashboard", options: VisitOptions = {}): Promise<Still> {
  const person = await site.person();
  const visit = await visitOf(person, options);
  await visit.page.clock.install({ time: start });
  await visit.page.goto(path);
  await visit.page.getByRole("heading", { level: 1 }).waitFor();
  await watchIsThere(visit.page);
  await visit.page.clock.pauseAt(later);
  await visit.page.keyboard.press("Shift");
  return { ...visit, person };
}

/** The watch comes with a chunk of its own, and from then on listens to the whole window: nothing else does so for this event. */
const noteWatch = `{
  const add = window.addEventListener;
  window.addEventListener = function (name, ...rest) {
    if (name === "touchmove") window.isWatched = true;
    return add.call(this, name, ...rest);
  };
}`;

async function visitOf(person: Person | null, options: VisitOptions = {}): Promise<Visit> {
  const visit = await site.visit({ ...(person === null ? {} : { as: person }), ...options });
  await visit.context.addInitScript(noteWatch);
  return visit;
}

async function watchIsThere(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate("window.isWatched === true")).toBe(true);
}

/** Lets the page's time go on by a little until it is so; what is rendered waits for timers. */
async function soon(page: Page, isSo: () => Promise<boolean>): Promise<void> {
  const look = async () => {
    if (await isSo()) return true;
    await page.clock.runFor(5);
    return isSo();
  };
  await expect.poll(look).toBe(true);
}

const isShown = (locator: Locator) => async () => (await locator.count()) > 0 && (await locator.isVisible());

async function expectSignedOut({ page, person }: Still): Promise<void> {
  await soon(page, isShown(page.getByRole("link", { name: "SIGN IN" })));
  expect(await storedKeys(page)).toEqual([]);
  await expect.poll(async () => (await person.call("GET", "/api/auth/session")).status).toBe(401);
}

describe.each([widths.phone, widths.desktop])("at %i pixels", (width) => {
  test("the warning opens after 25 minutes, counts five minutes down by seconds, and its end logs out", async () => {
    const still = await openStill("/dashboard", { width });
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

  test("Stay Logged In closes it, here and for the server; Escape does the same", async () => {
    const { page, person } = await openStill("/dashboard", { width });
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
    const still = await openStill("/settings", { width });
    const { page } = still;
    await page.clock.fastForward(26 * minutes);
    await warning(page).getByRole("button", { name: "Logout Now" }).click();
    await soon(page, isShown(toasts(page).getByText("Logged Out", { exact: true })));
    await seePath(page, "/home");
    await expectSignedOut(still);
  });
});

describe("activity", () => {
  test.each([
    ["the mouse", (page: Page) => page.mouse.move(200, 300)],
    ["a key", (page: Page) => page.keyboard.press("a")],
    ["a click", (page: Page) => page.mouse.click(5, 400)],
    ["scrolling", (page: Page) => page.evaluate("window.dispatchEvent(new Event('scroll'))")],
    ["a touch", (page: Page) => page.touchscreen.tap(5, 400)],
    ["focus", (page: Page) => page.evaluate("document.querySelector('button').focus()")],
  ])("%s starts the 30 minutes again", async (_, act) => {
    const { page } = await openStill("/dashboard", { hasTouch: true });
    await page.clock.fastForward(24 * minutes);
    await act(page);
    await page.clock.fastForward(24 * minutes);
    expect(await warning(page).count()).toBe(0);
    await page.clock.fastForward(1 * minutes);
    await warning(page).waitFor();
  });

  test("while the warning is open a pointer on its way changes nothing", async () => {
    const { page } = await openStill();
    await page.clock.fastForward(26 * minutes);
    await warning(page).waitFor();
    await page.mouse.move(10, 10);
    await page.mouse.move(300, 300);
    await page.keyboard.press("Shift");
    await page.clock.runFor(1000);
    await expect.poll(() => warning(page).getByRole("timer").innerText()).toBe("3:59");
  });

  test("the server hears of it once in five minutes, and of nobody who is away", async () => {
    const { page } = await openStill();
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

describe("several tabs", () => {
  async function openTwo(paths: [string, string] = ["/dashboard", "/settings"]): Promise<Still & { other: Page }> {
    const person = await site.person();
    const visit = await visitOf(person);
    const other = await visit.context.newPage();
    await visit.page.clock.install({ time: start });
    for (const [index, page] of [visit.page, other].entries()) {
      await page.goto(paths[index] as string);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await watchIsThere(page);
    }
    return { ...visit, person, other };
  }

  test("being active in one counts for all; the warning is open in all, and closed in all", async () => {
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

  test("signing out in one signs out all at once: nothing of the person is left, the address stays", async () => {
    const still = await openTwo();
    const { page, other, person } = still;
    await page.getByRole("button", { name: "Log out" }).click();
    await seeToast(page, "Logged Out", "Successfully logged out");
    await seeHeading(other, "Welcome Back");
    await seePath(other, "/settings");
    expect(await other.evaluate("document.body.innerText")).not.toContain(person.email.split("@")[0]);
    expect(await storedKeys(other)).toEqual([]);
  });

  test("signing in in one signs in all, as the same person", async () => {
    const person = await site.person();
    const visit = await visitOf(null);
    const other = await visit.context.newPage();
    await other.goto("/settings");
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

  test("somebody else's signing in leaves nothing of the one before", async () => {
    const [ona, rasa] = [await site.person(), await site.person()];
    await ona.createAlias({ alias: "only-onas", forwardTo: "ona@inbox.example" });
    const visit = await visitOf(ona);
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

  test("at the end of the time all are signed out", async () => {
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

describe("a tab that slept", () => {
  /** Time goes on without a timer firing, as in a suspended tab; then the tab is seen again. */
  const wake = (page: Page, ms: number) =>
    page.evaluate(`{
      const slept = Date.now() + ${ms};
      Date.now = () => slept;
      document.dispatchEvent(new Event("visibilitychange"));
      window.dispatchEvent(new Event("focus"));
      document.body.checkVisibility() && document.body.innerText !== "" ? "seen" : "hidden";
    }`);

  test("shows nothing of the person when it wakes past the limit, and is signed out", async () => {
    const person = await site.person();
    const { page, context } = await visitOf(person);
    await page.goto("/dashboard");
    await seeHeading(page, "Email Forwarding");
    await watchIsThere(page);
    expect(await wake(page, 45 * minutes)).toBe("hidden");
    await seeToast(page, "Logged Out");
    await seePath(page, "/home");
    expect(await page.evaluate("document.body.hidden")).toBe(false);
    await expect.poll(async () => (await person.call("GET", "/api/auth/session")).status).toBe(401);
    await context.clearCookies();
  });

  test("goes on when somebody was active in another tab meanwhile", async () => {
    const person = await site.person();
    const visit = await visitOf(person);
    const other = await visit.context.newPage();
    for (const tab of [visit.page, other]) {
      await tab.goto("/dashboard");
      await seeHeading(tab, "Email Forwarding");
      await watchIsThere(tab);
    }
    // This tab's clock is where the sleeper's will be: it was active there just now.
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

describe("the server", () => {
  test("ends the session: an active page finds out at the next check, and signs out", async () => {
    const { page, person } = await openStill("/settings");
    await person.call("POST", "/api/auth/logout");
    await page.clock.fastForward(5 * minutes);
    await soon(page, isShown(toasts(page).getByText("Session Ended", { exact: true })));
    await page.clock.resume();
    await seeHeading(page, "Welcome Back");
    await seePath(page, "/settings");
    expect(await storedKeys(page)).toEqual([]);
  });

  test("not answering ends nothing", async () => {
    const { page, context, expectFailure } = await openStill("/settings");
    // An answer still on its way would say that the server can be reached.
    await page.waitForLoadState("networkidle");
    expectFailure("/api/auth/session");
    await context.route("**/api/auth/session", (route) => route.abort("connectionrefused"));
    await page.clock.fastForward(4 * minutes);
    await page.keyboard.press("Shift");
    await page.clock.fastForward(2 * minutes);
    await soon(page, isShown(page.getByText("The server can’t be reached.", { exact: false })));
    await seeHeading(page, "Settings");
  });

  test("restarted, it still knows the session", async () => {
    const { page, person } = await openStill("/settings");
    await site.restart();
    await page.clock.fastForward(26 * minutes);
    await warning(page).getByRole("button", { name: "Stay Logged In" }).click();
    await seeGone(warning(page));
    expect((await person.call("GET", "/api/auth/session")).status).toBe(200);
  });
});

describe("what is wiped", () => {
  const typed = "what nobody else may read";
  /** Everything a later person at this screen could get at without tools, and in the page's own memory of answers. */
  const leftOver = `JSON.stringify([
    document.documentElement.outerHTML,
    [...document.querySelectorAll("input, textarea")].map(({ value }) => value),
    Object.entries(localStorage), Object.entries(sessionStorage), history.state,
  ])`;

  async function expectWiped(page: Page, ...secrets: string[]): Promise<void> {
    const left = (await page.evaluate(leftOver)) as string;
    for (const secret of secrets) expect(left).not.toContain(secret);
  }

  async function expectThere(page: Page, secret: string): Promise<void> {
    expect(await page.evaluate(leftOver)).toContain(secret);
  }

  const ways: [string, (page: Page) => Promise<void>][] = [
    [
      "the end of the time",
      async (page) => {
        await page.clock.fastForward(31 * minutes);
        await soon(page, isShown(page.getByRole("link", { name: "SIGN IN" })));
      },
    ],
    [
      "signing out",
      async (page) => {
        await page.getByRole("button", { name: "Log out" }).click();
        await soon(page, isShown(page.getByRole("link", { name: "SIGN IN" })));
      },
    ],
  ];

  test.each(ways)("%s leaves nothing of a letter, nor Back", async (_, end) => {
    const person = await site.person();
    const { id: aliasId } = await person.createAlias({ forwardTo: "jonas@inbox.example" });
    await person.call("POST", "/api/smtp-credentials", { aliasId });
    const { page } = await visitOf(person);
    await page.clock.install({ time: start });
    await page.goto("/compose");
    await page.getByLabel("Message").fill(typed);
    await page.getByLabel("To", { exact: true }).fill("rasa@outside.example");
    await watchIsThere(page);
    await expectThere(page, typed);
    await end(page);
    await expectWiped(page, typed, "rasa@outside.example");
    await page.goBack().catch(() => null);
    await expectWiped(page, typed, "rasa@outside.example");
  });

  test.each(ways)("%s leaves nothing decrypted, no key and no cipher text", async (_, end) => {
    const { publicKey, privateKey } = await generateKeyPair();
    const { encryptText } = await import("@kauke/age");
    const cipher = await encryptText(typed, { publicKeys: [publicKey] });
    const { page } = await visitOf(await site.person());
    await page.clock.install({ time: start });
    await page.goto("/decrypt");
    await watchIsThere(page);
    await page.getByRole("tab", { name: "Manual Decrypt" }).click();
    await page.getByLabel("Private Key").fill(privateKey);
    await page.getByRole("tabpanel", { name: "Manual Decrypt" }).getByLabel("Encrypted Text").fill(cipher);
    await page.getByRole("button", { name: "Decrypt Message" }).click();
    await page.getByRole("region", { name: "Decrypted text" }).getByText(typed).waitFor();
    await page.getByLabel("Private Key").fill(privateKey);
    for (const secret of [typed, privateKey]) await expectThere(page, secret);
    await end(page);
    await expectWiped(page, typed, privateKey, cipher.slice(60, 100));
  });

  test.each(ways)("%s hides a password that is shown, for good", async (_, end) => {
    const person = await site.person();
    const { id: aliasId, alias, domain } = await person.createAlias({ forwardTo: "jonas@inbox.example" });
    const made = await person.call("POST", "/api/smtp-credentials", { aliasId });
    const { password } = (made.body as { credential: { password: string } }).credential;
    const { page } = await visitOf(person);
    await page.clock.install({ time: start });
    await page.goto("/");
    await watchIsThere(page);
    await page.getByRole("button", { name: `SMTP settings of ${alias}@${domain}` }).click();
    await page.getByRole("button", { name: "View" }).first().click();
    await page.getByText("The password hides in").waitFor();
    await expectThere(page, password);
    await end(page);
    await expectWiped(page, password, `${alias}@`);
  });
});

test("the warning lies over a dialog that is open, which waits beneath it", async () => {
  const { page } = await openStill();
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

test("Escape closes a dialog before the toast behind it", async () => {
  const { page } = await site.visit({ as: await site.person() });
  await page.goto("/dashboard");
  await page.getByRole("button", { name: "Delete Account" }).waitFor();
  await createForm(page).getByLabel("Alias name and domain").fill("admin");
  await createForm(page).getByLabel("Forward to").fill("jonas@inbox.example");
  await page.getByRole("button", { name: "Delete Account" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete account" });
  await dialog.waitFor();
  // A toast that comes while the dialog is open, as one about a letter on its way may.
  await page.evaluate("document.querySelector('main form').requestSubmit()");
  await toasts(page).waitFor();
  await page.keyboard.press("Escape");
  await seeGone(dialog);
  expect(await toasts(page).and(page.locator("[data-state=open]")).count()).toBe(1);
  await page.keyboard.press("Escape");
  await expect.poll(() => toasts(page).and(page.locator("[data-state=open]")).count()).toBe(0);
});
