/** Every path of the product, signed in and out, and what surrounds every page: top bar, menu, footer. */
import { isLongRun } from "@kauke/testkit/long-rounds";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { heights, type Visit, widths } from "../browser/browser.ts";
import { seeFocus, seeGone, seeHeading, seeLive, seePath, seeToast } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { usually } from "../browser/variants.ts";

const site = runSite();

interface Shown {
  heading: string;
  title: string;
}

const landing: Shown = { heading: "One click, new identity.", title: "Kauke — private e-mail aliases" };
const auth: Shown = { heading: "Welcome Back", title: "Sign in — Kauke" };
const page = (heading: string): Shown => ({ heading, title: `${heading} — Kauke` });
const dashboard = page("Email Forwarding");

const resetOver: Shown = { heading: "This link no longer works", title: "Set a new password — Kauke" };
const signInOver: Shown = { heading: "This link no longer works", title: "Sign in — Kauke" };
const newEmailOver: Shown = { heading: "This link no longer works", title: "Your new e-mail — Kauke" };
const confirmOver: Shown = { heading: "This link no longer works", title: "Confirm your e-mail — Kauke" };

/** The specification's route table, and paths that do not exist. */
const routes: readonly (readonly [path: string, signedIn: Shown, signedOut: Shown])[] = [
  ["/", dashboard, landing],
  ["/home", landing, landing],
  ["/auth", auth, auth],
  ["/register", page("Create your account"), page("Create your account")],
  ["/dashboard", dashboard, auth],
  ["/settings", page("Settings"), auth],
  ["/compose", page("Compose Email"), auth],
  ["/decrypt", page("Decrypt Messages"), auth],
  ["/about", page("About"), page("About")],
  ["/privacy", page("Privacy Policy"), page("Privacy Policy")],
  ["/terms", page("Terms of Service"), page("Terms of Service")],
  ["/gdpr", page("GDPR"), page("GDPR")],
  ["/transparency", page("Transparency Report"), page("Transparency Report")],
  ["/forgot", page("Forgot your password?"), page("Forgot your password?")],
  ["/reset", resetOver, resetOver],
  ["/sign-in-link", signInOver, signInOver],
  ["/confirm-email", confirmOver, confirmOver],
  ["/new-email", newEmailOver, newEmailOver],
  ["/preview", page("Preview inbox"), page("Preview inbox")],
];

/** Changes case and adds a slash, e.g. `/dashboard` to `/DaShBoArD/`. */
const oddlyTyped = (path: string): string =>
  `${path.replace(/.(.)/g, (pair) => pair[0] + pair.slice(1).toUpperCase())}/`;

/** The exact policy of every document; a page that violates it fails its visit (`watch.ts`). */
const policy =
  "default-src 'none'; script-src 'self'; worker-src 'self'; connect-src 'self'; style-src 'self'; " +
  "img-src 'self' data:; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; " +
  "manifest-src 'self'; frame-src 'self'; require-trusted-types-for 'script'; trusted-types app-worker mail-frame";

async function seeShown({ page: open }: Visit, { heading, title }: Shown): Promise<void> {
  await open.getByRole("heading", { level: 1, name: heading }).waitFor();
  await expect.poll(() => open.title()).toBe(title);
}

async function goto({ page: open }: Visit, path: string): Promise<number | undefined> {
  const answer = await open.goto(path, { waitUntil: "domcontentloaded" });
  expect(await answer?.headerValue("content-security-policy")).toBe(policy);
  return answer?.status();
}

interface Spelling {
  width: number;
  typed: (path: string) => string;
}

const asWritten: Spelling = { width: widths.desktop, typed: (path) => path };
const oddly: Spelling = { width: widths.phone, typed: oddlyTyped };

/**
 * Opens each path as written on a wide window, with changed case on a phone; in `npm test` only one of the two. The
 * preview inbox has one spelling: its cookie is for that path.
 */
async function walkRoutes(
  visit: Visit,
  spelling: Spelling,
  shown: (route: (typeof routes)[number]) => Shown,
  paths = routes,
): Promise<void> {
  for (const { width, typed } of isLongRun ? [asWritten, oddly] : [spelling]) {
    await visit.page.setViewportSize({ width, height: heights[width] as number });
    for (const route of paths) {
      const path = route[0] === "/" ? "/" : typed(route[0]);
      expect([path, await goto(visit, path)]).toEqual([path, 200]);
      await seeShown(visit, shown(route));
      await seePath(visit.page, route[0] === "/preview" ? "/preview" : path);
    }
  }
}

describe("the route table", () => {
  test("signed out, every path shows what it should, keeps its URL and has a title", async () => {
    await walkRoutes(await site.visit(), oddly, ([, , shown]) => shown);
  });

  test("signed in, every path shows what it should, keeps its URL and has a title", async () => {
    const visit = await site.visit({ as: await site.person() });
    // In `npm test` without the paths that show the same to everybody.
    const paths = routes.filter(([, signedIn, signedOut]) => isLongRun || signedIn.heading !== signedOut.heading);
    await walkRoutes(visit, asWritten, ([, shown]) => shown, paths);
  });

  test("control: the paths opened on the phone have changed case and a slash at their end", () => {
    expect(["/dashboard", "/gdpr", "/confirm-email"].map(oddlyTyped)).toEqual([
      "/DaShBoArD/",
      "/GdPr/",
      "/CoNfIrM-EmAiL/",
    ]);
  });

  test.each(usually(["/nowhere", "/dashboard/more", "/assets", "/dashboardx"], 1))(
    "%s is a page that does not exist, with status 404",
    async (path) => {
      const visit = await site.visit();
      visit.expectRefusal(404, path);
      expect(await goto(visit, path)).toBe(404);
      await seeShown(visit, page("Page Not Found"));
      await visit.page.getByRole("link", { name: "Back to start" }).click();
      await seeShown(visit, landing);
    },
  );

  test("a protected path opens after signing in there", async () => {
    const person = await site.person();
    const visit = await site.visit();
    await goto(visit, "/dashboard");
    await seeShown(visit, auth);
    await visit.page.getByLabel("Email").fill(person.email);
    await visit.page.getByLabel("Password").fill(person.password);
    await expect.poll(() => visit.page.getByRole("button", { name: "Sign In" }).isEnabled()).toBe(true);
    await visit.page.keyboard.press("Enter");
    await seeShown(visit, dashboard);
  });

  test("during the session check a spinner says Loading... and nothing invites to sign in", async () => {
    const visit = await site.visit({ as: await site.person() });
    const held = Promise.withResolvers<void>();
    await visit.context.route("**/api/auth/session", async (route) => {
      await held.promise;
      await route.continue();
    });
    await goto(visit, "/dashboard");
    await visit.page.getByRole("status").getByText("Loading...", { exact: true }).waitFor();
    expect(await visit.page.getByRole("link", { name: "SIGN IN" }).count()).toBe(0);
    held.resolve();
    await seeShown(visit, dashboard);
  });

  test("a change of route scrolls to the top, and the browser's Back works", async () => {
    const visit = await site.visit({ width: widths.phone, height: 500 });
    await goto(visit, "/home");
    const link = visit.page.getByRole("contentinfo").getByRole("link", { name: "Transparency" });
    await link.scrollIntoViewIfNeeded();
    expect(await visit.page.evaluate("scrollY")).toBeGreaterThan(0);
    await link.click();
    await seeShown(visit, page("Transparency Report"));
    await expect.poll(() => visit.page.evaluate("scrollY")).toBe(0);
    await visit.page.goBack();
    await seeShown(visit, landing);
  });
});

test.each(usually(["/home", "/dashboard", "/decrypt"], 2))(
  "a file dropped beside its target leaves %s as it is",
  async (path) => {
    const { page: open } = await site.visit({ as: await site.person() });
    await open.goto(path);
    await seeLive(open);
    const isRefused = await open.evaluate(`["dragover", "drop"].map((type) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(["x"], "x.txt"));
    return !document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
  })`);
    expect(isRefused).toEqual([true, true]);
  },
);

describe("the top bar", () => {
  const bar = (open: Page) => open.getByRole("banner");
  const nav = ["_FORWARD", "_COMPOSE", "_DECRYPT", "_SETTINGS"];
  const paths = ["/dashboard", "/compose", "/decrypt", "/settings"];
  const mainNav = (open: Page) => bar(open).getByRole("navigation", { name: "Main" });

  test("signed out it has the logo, the theme toggle and the link to sign in, and no navigation", async () => {
    const { page: open } = await site.visit();
    await open.goto("/about");
    await bar(open).getByRole("link", { name: "_SIGN IN", exact: true }).click();
    await seePath(open, "/auth");
    expect(await mainNav(open).count()).toBe(0);
    await bar(open).getByRole("link", { name: "Kauke, home" }).click();
    await seePath(open, "/home");
  });

  test("signed in it has four links, the current one marked, the user's label and the sign-out button", async () => {
    const person = await site.person("top.bar@people.example");
    const { page: open } = await site.visit({ as: person });
    await open.goto("/");
    const links = mainNav(open).getByRole("link");
    await expect.poll(() => links.allInnerTexts()).toEqual(nav);
    const current = () => mainNav(open).getByRole("link").and(open.locator("[aria-current=page]")).allInnerTexts();
    expect(await current()).toEqual(["_FORWARD"]);
    for (const [index, name] of nav.entries()) {
      await mainNav(open).getByRole("link", { name, exact: true }).click();
      await seePath(open, paths[index] as string);
      await expect.poll(current).toEqual([name]);
    }
    expect(await bar(open).getByRole("link", { name: "SIGN IN" }).count()).toBe(0);
    expect(await bar(open).getByText(/\$/).count()).toBe(0);
    await bar(open).getByRole("link", { name: "Signed in with e-mail: top.bar", exact: true }).click();
    await seePath(open, "/");
    await seeHeading(open, "Email Forwarding");
  });

  test("a balance above zero is shown, and a wallet user's address is shortened to both its ends", async () => {
    const person = await site.person();
    const { page: open, context } = await site.visit({ as: person });
    const wallet = { ...person.user, email: null, authMethod: "wallet", balance: "12.50" };
    const user = { ...wallet, walletAddress: "7xKp3QdPzKcUoVfLpN4wRt8sYb2MhGj6Ee9mVt2d" };
    await context.route("**/api/auth/session", (route) => route.fulfill({ json: { user } }));
    await open.goto("/about");
    await bar(open).getByText("$12.50").filter({ visible: true }).waitFor();
    await bar(open).getByText("7xKp3Q…9mVt2d", { exact: true }).waitFor();
    expect(await open.evaluate("localStorage.walletAddress")).toBe(user.walletAddress);
  });

  test("a long label is cut off, and does not widen the page", async () => {
    const person = await site.person(`${"very-long-name".repeat(4)}@people.example`);
    for (const [width, widest] of [
      [widths.phone, 120],
      [widths.desktop, 180],
    ] as const) {
      const { page: open } = await site.visit({ as: person, width });
      await open.goto("/about");
      const label = bar(open).getByText("very-long-name").last();
      await label.waitFor();
      expect((await label.boundingBox())?.width).toBeLessThanOrEqual(widest);
    }
  });

  test.each(usually(["jonas-3238", "another-very-long-name".repeat(2), "w"], 1))(
    "%s fits a window of 320 pixels",
    async (name) => {
      const { page: open } = await site.visit({ as: await site.person(`${name}@people.example`), width: 320 });
      await open.goto("/about");
      await bar(open).getByRole("button", { name: "Menu" }).waitFor();
      expect(await open.evaluate("document.documentElement.scrollWidth")).toBe(320);
      const menu = await bar(open).getByRole("button", { name: "Menu" }).boundingBox();
      expect((menu?.x ?? 0) + (menu?.width ?? 0)).toBeLessThanOrEqual(320);
    },
  );

  test("on a low window the menu itself scrolls, down to Sign Out", async () => {
    const { page: open } = await site.visit({ as: await site.person(), width: 640 });
    await open.setViewportSize({ width: 640, height: 260 });
    await open.goto("/dashboard");
    await bar(open).getByRole("button", { name: "Menu" }).click();
    const signOut = bar(open).getByRole("button", { name: "Sign Out" });
    await signOut.scrollIntoViewIfNeeded();
    const box = await signOut.boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(260);
    expect(await open.evaluate("scrollY")).toBe(0);
  });

  test("on a phone the menu contains the four links and Sign Out; Escape and a click outside close it", async () => {
    const { page: open } = await site.visit({ as: await site.person(), width: widths.phone });
    await open.goto("/dashboard");
    const button = bar(open).getByRole("button", { name: "Menu" });
    const menu = bar(open).getByRole("navigation", { name: "Menu" });
    await button.click();
    await expect.poll(() => menu.getByRole("link").allInnerTexts()).toEqual(nav);
    expect(await button.getAttribute("aria-expanded")).toBe("true");
    await open.keyboard.press("Escape");
    await seeGone(menu);
    await seeFocus(button);
    await button.click();
    await menu.waitFor();
    await open.mouse.click(widths.phone / 2, 840);
    await seeGone(menu);
    await button.click();
    await menu.getByRole("link", { name: "_SETTINGS" }).click();
    await seePath(open, "/settings");
    await seeGone(menu);
    await open.getByRole("button", { name: "Create Key" }).waitFor();
    await button.click();
    await menu.getByRole("button", { name: "Sign Out" }).click();
    await seeToast(open, "Logged Out");
    await seePath(open, "/home");
  });
});

test("the footer links to every public page, and opens other sites only in new tabs", async () => {
  const { page: open } = await site.visit();
  await open.goto("/home");
  const footer = open.getByRole("contentinfo");
  for (const section of ["COMPANY", "LEGAL", "REVIEWS", "OPEN SOURCE"])
    await footer.getByRole("heading", { name: section, exact: true }).waitFor();
  for (const words of ["© 2025", "1.0.24", "Made in Lithuania"]) await footer.getByText(words).waitFor();
  for (const [name, path] of [
    ["About", "/about"],
    ["Transparency", "/transparency"],
    ["Privacy Policy", "/privacy"],
    ["Terms of Service", "/terms"],
    ["GDPR", "/gdpr"],
  ] as const) {
    await footer.getByRole("link", { name, exact: true }).click();
    await seePath(open, path);
  }
  const external = footer.getByRole("link", { name: /Documentation|profile|Video|Reviews|age/ });
  const targets = await external.evaluateAll((all) => all.map((it) => [it.target, it.getAttribute("href")]));
  expect(targets.length).toBe(5);
  for (const [target, href] of targets)
    expect([target, href]).toEqual(["_blank", expect.stringMatching(/^https:|^\/docs$/)]);
});

test("the guides are served here: Documentation opens the guide for mail programs in a new tab", async () => {
  const { page: open } = await site.visit();
  await open.goto("/about");
  const opened = open.waitForEvent("popup");
  await open.getByRole("contentinfo").getByRole("link", { name: "Documentation" }).click();
  const guide = await opened;
  await seeHeading(guide, "Documentation");
  await guide.getByRole("main").getByRole("link", { name: "SMTP setup guide" }).last().click();
  await seePath(guide, "/docs/smtp");
  await guide.getByRole("cell", { name: "smtp.kauke.test" }).waitFor();
});
