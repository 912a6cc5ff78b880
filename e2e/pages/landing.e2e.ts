/** The landing page: what it says in each state, how much it loads, and what must never be shown. */
import { gzipSync } from "node:zlib";
import { FakeIssuer } from "@kauke/testkit/fakes/fake-issuer";
import { isLongRun } from "@kauke/testkit/long-rounds";
import type { Page } from "playwright-core";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { axeFindings, sidewaysOverflow } from "../any-page/axe.ts";
import { heights, openVisit, type Visit, widths } from "../browser/browser.ts";
import { hoverAtRest, seeHeading, seeLaidOut, seePath } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { usually, usuallyAt } from "../browser/variants.ts";
import { pauseMotion } from "../screens/make-screen.ts";
import { rest } from "../screens/open-screen.ts";
import { federated, getStarted, headline, loading, pauseButton, signUp, toDashboard } from "./landing-page.ts";
import { openWithoutScript } from "./without-script.ts";

let issuer: FakeIssuer | null = null;
const site = runSite({
  moves: true,
  env: async () => {
    issuer = await FakeIssuer.start();
    return issuer.env;
  },
});
afterAll(() => issuer?.close());

/** Delays requests to the path until the returned function is called. */
async function hold({ context }: Visit, path: string): Promise<() => void> {
  const held = Promise.withResolvers<void>();
  await context.route(`**${path}`, async (route) => {
    await held.promise;
    await route.continue().catch(() => {});
  });
  return () => held.resolve();
}

describe("the main button", () => {
  test("invites visitors who aren't signed in, in the hero and at the end, and leads to the sign-in page", async () => {
    const { page } = await site.visit();
    await page.goto("/");
    await getStarted(page).waitFor();
    await signUp(page).click();
    await seePath(page, "/auth");
    await page.goBack();
    await getStarted(page).click();
    await seePath(page, "/auth");
  });

  test("says Loading... and can't be pressed while the session check hangs; the federated one has no effect", async () => {
    const visit = await site.visit();
    const release = await hold(visit, "/api/auth/session");
    const { page } = visit;
    await page.goto("/");
    await expect.poll(() => loading(page).count()).toBe(2);
    for (const button of await loading(page).all()) expect(await button.isDisabled()).toBe(true);
    await federated(page).click();
    await page.waitForTimeout(100);
    expect(new URL(page.url()).pathname).toBe("/");
    release();
    await signUp(page).waitFor();
    await getStarted(page).waitFor();
    expect(await loading(page).count()).toBe(0);
  });

  test("leads signed-in people to the dashboard, the federated one too", async () => {
    const { page } = await site.visit({ as: await site.person() });
    for (const button of [() => toDashboard(page).first(), () => toDashboard(page).last(), () => federated(page)]) {
      await page.goto("/home");
      await toDashboard(page).first().waitFor();
      expect([await toDashboard(page).count(), await signUp(page).count()]).toEqual([2, 0]);
      await button().click();
      await seePath(page, "/dashboard");
      await seeHeading(page, "Email Forwarding");
    }
  });

  test("the federated button leaves for the sign-in endpoint", async () => {
    const visit = await site.visit();
    const asked = Promise.withResolvers<string>();
    await visit.context.route("**/api/auth/google", async (route) => {
      asked.resolve(route.request().method());
      await route.fulfill({ contentType: "text/html", body: "<!doctype html><title>Away</title>" });
    });
    const answered = visit.page.waitForResponse("**/api/auth/session");
    await visit.page.goto("/");
    await (await answered).finished();
    // The page shows the response a moment after it has arrived.
    await expect.poll(() => visit.page.evaluate('document.querySelector(".proof .pending") === null')).toBe(true);
    await federated(visit.page).click();
    expect(await asked.promise).toBe("GET");
    await visit.page.waitForURL("**/api/auth/google");
  });

  test("when opened from another page the landing page is complete too", async () => {
    const { page } = await site.visit();
    await page.goto("/auth");
    await page.getByRole("link", { name: "Kauke, home" }).first().click();
    await seeHeading(page, headline);
    for (const name of ["Completely Free", "Your Email Privacy Under Attack", "How It Works", "Why Kauke?"])
      await seeHeading(page, name);
    await page.goto("/");
    await page.getByRole("link", { name: "Learn more about our mission" }).click();
    await seePath(page, "/about");
    await page.goBack();
    await seeHeading(page, "Why Kauke?");
  });

  /** Whether every section is laid out, even far below the window. */
  const isWhole = (page: Page) =>
    page.evaluate(
      `[...document.querySelectorAll("main h2")].every((h2) => h2.checkVisibility({ contentVisibilityAuto: true }))`,
    );

  test("the landing page's lower sections are laid out without scrolling, once the page is idle", async () => {
    const { page } = await site.visit({ width: widths.phone });
    await page.goto("/");
    await seeLaidOut(page);
    expect(await isWhole(page)).toBe(true);
  });

  test("while the page is busy its lower sections are not laid out, unless somebody scrolls to one", async () => {
    const { page } = await site.visit({ width: widths.phone });
    await page.addInitScript("window.requestIdleCallback = () => 0");
    await page.goto("/");
    await signUp(page).waitFor();
    expect(await isWhole(page)).toBe(false);
    await page.getByRole("link", { name: "Learn more about our mission" }).click();
    await seePath(page, "/about");
  });

  test.runIf(isLongRun)("Learn more about our mission leads to the About page", async () => {
    const { page } = await site.visit();
    await page.goto("/");
    await page.getByRole("link", { name: "Learn more about our mission" }).click();
    await seePath(page, "/about");
  });
});

describe("the figures", () => {
  const proof = (page: Page) => page.locator(".proof").innerText();

  test("are the server's, with separators; thousands of users are rounded down", async () => {
    const visit = await site.visit();
    const stats = { totalUsers: 41_999, totalAliases: 1_234_567 };
    await visit.context.route("**/api/stats", (route) => route.fulfill({ json: { stats } }));
    await visit.page.goto("/");
    await expect.poll(() => proof(visit.page)).toBe("41,999 users, 1,234,567 aliases");
    await seeHeading(visit.page, "Join 41k+ people who keep their address to themselves.");
  });

  test.runIf(isLongRun)("below a thousand users the closing call has no number", async () => {
    const { page } = await site.visit();
    await page.goto("/");
    await seeHeading(page, "Join people who keep their address to themselves.");
  });

  test("are the last known ones if the server does not respond, and hidden as long as it may still do so", async () => {
    const visit = await site.visit();
    visit.expectRefusal(500, "/api/stats");
    const held = Promise.withResolvers<void>();
    await visit.context.route("**/api/stats", async (route) => {
      await held.promise;
      await route.fulfill({ status: 500, json: { message: "broken" } });
    });
    const { page } = visit;
    await page.goto("/");
    await expect.poll(() => page.locator(".pending").count()).toBe(3);
    const colors = (await page.evaluate(
      '[...document.querySelectorAll(".pending")].map((it) => getComputedStyle(it).color)',
    )) as string[];
    expect(new Set(colors)).toEqual(new Set(["rgba(0, 0, 0, 0)"]));
    held.resolve();
    await expect.poll(() => page.locator(".pending").count()).toBe(0);
    expect(await proof(page)).toBe("31,000+ users, 31,000+ aliases");
    await seeHeading(page, "Join 31k+ people who keep their address to themselves.");
  });
});

/** Every heading and every loading state that was visible, from the first frame on. */
const recordScreens = `
  window.seenScreens = [];
  (function look() {
    const words = document.querySelector("main :is(h1, [role=status])")?.innerText.trim().replace(/\\s+/g, " ");
    if (words && window.seenScreens.at(-1) !== words) window.seenScreens.push(words);
    requestAnimationFrame(look);
  })();`;

describe("nobody is shown the wrong page", () => {
  test.each(usually(["/", "/dashboard", "/Settings", "/home"], 0, 3))("signed in, at %s", async (path) => {
    const visit = await site.visit({ as: await site.person() });
    await visit.context.addInitScript(recordScreens);
    await visit.page.goto(path);
    const heading =
      { "/": "Email Forwarding", "/dashboard": "Email Forwarding", "/Settings": "Settings" }[path] ?? headline;
    await visit.page.getByRole("heading", { level: 1, name: heading }).waitFor();
    await expect.poll(() => visit.page.evaluate("seenScreens.at(-1)")).toBe(heading);
    expect(["Loading...", heading]).toEqual(
      expect.arrayContaining((await visit.page.evaluate("seenScreens")) as string[]),
    );
  });

  const signedOut = [
    ["/", headline],
    ["/Home/", headline],
    ["/auth", "Welcome Back"],
    ["/dashboard", "Welcome Back"],
    ["/register", "Create your account"],
    ["/about", "About"],
  ] as const;

  test.each(usually(signedOut, 0, 3))(
    "signed out, at %s: the page is shown at once, and stays",
    async (path, heading) => {
      const visit = await site.visit();
      await visit.context.addInitScript(recordScreens);
      await visit.page.goto(path, { waitUntil: "networkidle" });
      expect(await visit.page.evaluate("seenScreens")).toEqual([heading]);
    },
  );

  test("a session that has ended leads to the landing page", async () => {
    const visit = await site.visit({ as: { cookie: "sid=long-gone" } });
    await visit.page.goto("/");
    await seeHeading(visit.page, headline);
    await signUp(visit.page).waitFor();
  });

  test("control: a pre-rendered page that differs from what the app renders is found", async () => {
    const visit = await openVisit(site.server.url);
    onTestFinished(() => visit.close());
    await visit.context.route("**/home", async (route) => {
      const answer = await route.fetch();
      await route.fulfill({
        response: answer,
        body: (await answer.text()).replace("One click", "Two clicks"),
      });
    });
    await visit.page.goto("/home");
    await expect.poll(async () => (await visit.findings()).map(({ kind }) => kind)).toContain("page error");
  });
});

describe("without JavaScript", () => {
  /** Text of the visible element that asks for JavaScript. It is found by class: text selectors ignore noscript. */
  const needsScript = (page: Page) => page.locator(".needs-script:visible").innerText();

  test("the whole landing page is shown, and its links work", async () => {
    const page = await openWithoutScript(site.server.url, "/");
    await page.getByRole("heading", { level: 1, name: headline }).waitFor();
    for (const name of [
      "Privacy First",
      "Completely Free",
      "Zero Logs Policy",
      "Compatible with",
      "Your Email Privacy Under Attack",
      "Military-Grade Encryption",
      "How It Works",
      "Why Kauke?",
      "Join people who keep their address to themselves.",
    ])
      await page.getByRole("heading", { name, exact: true }).waitFor();
    for (const words of ["Unlimited aliases", "End-to-end encryption", "Reply anonymously", "Offline AGE keys"])
      await page.getByRole("listitem").filter({ hasText: words }).waitFor();
    // Without a response of the server no figure is shown.
    expect(await page.getByText("31").filter({ visible: true }).count()).toBe(0);
    await signUp(page).click();
    await seeHeading(page, "Welcome Back");
    expect(await needsScript(page)).toBe("Signing in needs JavaScript. Please switch it on and load the page again.");
  });

  test("a page of the app says that it needs JavaScript, and does not seem to load", async () => {
    const page = await openWithoutScript(site.server.url, "/forgot");
    expect(await needsScript(page)).toBe("This page needs JavaScript. Please switch it on and load the page again.");
    expect(await page.getByText("Loading...").isVisible()).toBe(false);
  });

  test.each(usually(["/about", "/privacy", "/terms", "/gdpr", "/transparency"], 1))(
    "%s has its heading and footer",
    async (path) => {
      const page = await openWithoutScript(site.server.url, path);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.getByRole("contentinfo").getByText("Made in Lithuania").waitFor();
    },
  );
});

describe("how much it loads", () => {
  const budgetBytes = 90_000;
  const mostShift = 0.02;

  test("all JavaScript before the first interaction is at most 90 kB compressed, and the schemas are not in it", async () => {
    const { page } = await site.visit();
    const scripts: Promise<Buffer>[] = [];
    page.on("response", (it) => {
      if (it.request().resourceType() === "script" || it.url().endsWith(".js")) scripts.push(it.body());
    });
    await page.goto("/", { waitUntil: "networkidle" });
    const bodies = await Promise.all(scripts);
    const bytes = bodies.reduce((sum, body) => sum + gzipSync(body, { level: 9 }).length, 0);
    console.log(`Landing page: ${bytes} bytes of JavaScript, gzip, in ${bodies.length} files.`);
    expect(bodies.length).toBeGreaterThan(1);
    expect(bytes).toBeLessThanOrEqual(budgetBytes);
    expect(Buffer.concat(bodies).includes("ZodError")).toBe(false);
  });

  test.each(usuallyAt("phone"))(
    "at %s pixels nothing moves if fonts, domains, figures and session arrive late",
    async (width) => {
      const visit = await site.visit({ width });
      const { page } = visit;
      const stats = { totalUsers: 12_345, totalAliases: 98_765 };
      const late = async (answer: () => Promise<void>) => {
        await page.waitForTimeout(700);
        await answer().catch(() => {});
      };
      await visit.context.route("**/*.woff2", (route) => late(() => route.continue()));
      await visit.context.route("**/api/**", (route) => late(() => route.continue()));
      await visit.context.route("**/api/stats", (route) => late(() => route.fulfill({ json: { stats } })));
      await visit.context.addInitScript(`
        window.shifted = [];
        new PerformanceObserver((list) => {
          for (const { value, sources } of list.getEntries())
            shifted.push({ value, what: sources.map(({ node }) => node?.className ?? node?.nodeName).join(" | ") });
        }).observe({ type: "layout-shift", buffered: true });`);
      await page.goto("/");
      await expect.poll(() => page.locator(".proof").innerText()).toBe("12,345 users, 98,765 aliases");
      await page.evaluate("document.fonts.ready");
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
      const shifts = (await page.evaluate("shifted")) as { value: number; what: string }[];
      const total = shifts.reduce((sum, { value }) => sum + value, 0);
      console.log(`Layout shift at ${width}: ${total.toFixed(4)}`, JSON.stringify(shifts));
      expect(total).toBeLessThanOrEqual(mostShift);
    },
  );
});

test.runIf(isLongRun)(
  "nothing sticks out at 320, 390, 768 and 1440 pixels, in either theme, and axe finds nothing",
  async () => {
    const visit = await site.visit();
    await visit.page.goto("/");
    await getStarted(visit.page).waitFor();
    await pauseMotion(visit.page);
    for (const width of [320, widths.phone, 768, widths.desktop])
      for (const theme of ["light", "dark"]) {
        await visit.page.setViewportSize({ width, height: heights[width] ?? 800 });
        await visit.page.evaluate(`document.documentElement.dataset.theme = "${theme}"`);
        expect({ width, theme, found: await sidewaysOverflow(visit) }).toEqual({ width, theme, found: [] });
        if (width !== widths.phone && width !== widths.desktop) continue;
        await rest(visit);
        expect({ width, theme, found: await axeFindings(visit) }).toEqual({ width, theme, found: [] });
      }
  },
);

test.runIf(isLongRun)("the pause button's name says what it does", async () => {
  const { page } = await site.visit();
  await page.goto("/");
  await getStarted(page).waitFor();
  await hoverAtRest(pauseButton(page));
  await page.getByRole("tooltip").filter({ hasText: "Pause" }).waitFor();
});
