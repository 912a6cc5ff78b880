/**
 * The public pages: readable by anybody, navigated by their contents, printed, and correct about what the browser
 * stores.
 */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { sidewaysOverflow } from "../any-page/axe.ts";
import { type Visit, widths } from "../browser/browser.ts";
import { seeFocus, seePath } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { signIn } from "../browser/steps.ts";
import { usually } from "../browser/variants.ts";

const site = runSite();

/** Paths of the public pages, in the case people may type them. */
const pages = [
  { path: "/about", typed: "/About", heading: "About" },
  { path: "/privacy", typed: "/PRIVACY", heading: "Privacy Policy" },
  { path: "/terms", typed: "/terms/", heading: "Terms of Service" },
  { path: "/gdpr", typed: "/Gdpr/", heading: "GDPR" },
  { path: "/transparency", typed: "/tRANSPARENCY", heading: "Transparency Report" },
] as const;

/** Paths of the documentation, whose pages have other contents. */
const documentation = [
  { path: "/docs", heading: "Documentation" },
  { path: "/docs/smtp", heading: "SMTP setup guide" },
  { path: "/docs/clients", heading: "Password managers and apps" },
  { path: "/docs/moving", heading: "Moving in and out" },
] as const;

async function open({ page }: Visit, path: string, heading: string): Promise<void> {
  await page.goto(path);
  await page.getByRole("heading", { level: 1, name: heading, exact: true }).waitFor();
  await expect.poll(() => page.title()).toBe(`${heading} — Kauke`);
}

const contents = (page: Page) => page.getByRole("navigation", { name: "On this page" }).getByRole("link");

test.each(usually(["signed in", "signed out"], 1))(
  "%s, typed in any case, each have a heading for every line of their table of contents",
  async (who) => {
    const visit = await site.visit(who === "signed in" ? { as: await site.person() } : {});
    for (const { typed, heading } of pages) {
      await open(visit, typed, heading);
      const lines = await contents(visit.page).allInnerTexts();
      expect(lines.length).toBeGreaterThan(3);
      const headings = visit.page.getByRole("main").getByRole("heading", { level: 2 });
      expect(await headings.allInnerTexts()).toEqual(lines);
    }
  },
);

test("nothing sticks out on a narrow phone, nor if letters are twice as large", async () => {
  const visit = await site.visit();
  for (const { path, heading } of [...pages, ...documentation]) {
    await open(visit, path, heading);
    for (const [width, letters] of [
      [320, "100%"],
      [640, "200%"],
      [widths.desktop, "200%"],
    ] as const) {
      await visit.page.setViewportSize({ width, height: 800 });
      await visit.page.evaluate(`document.documentElement.style.fontSize = "${letters}"`);
      expect({ path, width, out: await sidewaysOverflow(visit) }).toEqual({ path, width, out: [] });
    }
  }
});

test("a line of the contents leads to its section, which then has the focus, is marked, and is in the URL", async () => {
  const visit = await site.visit();
  const { page } = visit;
  await open(visit, "/privacy", "Privacy Policy");
  const part = page.getByRole("heading", { name: "Logs and counts" });
  expect(await contents(page).first().getAttribute("aria-current")).toBe("true");
  await contents(page).filter({ hasText: "Logs and counts" }).click();
  await seeFocus(part);
  await expect.poll(async () => (await part.boundingBox())?.y).toBeLessThan(140);
  expect((await part.boundingBox())?.y).toBeGreaterThan(56);
  const current = contents(page).and(page.locator("[aria-current]"));
  await expect.poll(() => current.allInnerTexts()).toEqual(["Logs and counts"]);
  expect(new URL(page.url()).hash).toBe("#logs");

  await page.reload();
  await seeFocus(part);
  await expect.poll(async () => (await part.boundingBox())?.y).toBeLessThan(140);
});

test("a link to another page shows that page from its top", async () => {
  const visit = await site.visit();
  const { page } = visit;
  await open(visit, "/transparency", "Transparency Report");
  const link = page.getByRole("main").getByRole("link", { name: "Privacy Policy" });
  await link.scrollIntoViewIfNeeded();
  expect(await page.evaluate("scrollY")).toBeGreaterThan(0);
  await link.click();
  await seePath(page, "/privacy");
  await page.getByRole("heading", { level: 1, name: "Privacy Policy" }).waitFor();
  await expect.poll(() => page.evaluate("scrollY")).toBe(0);
});

test("the contents are beside the text if there is room and above it on a phone; the text is 656 pixels wide", async () => {
  const visit = await site.visit();
  const { page } = visit;
  await open(visit, "/terms", "Terms of Service");
  const box = async (role: "navigation" | "article") =>
    (await page.getByRole(role, role === "navigation" ? { name: "On this page" } : {}).boundingBox()) ?? expect.fail();
  const [rail, text] = [await box("navigation"), await box("article")];
  expect(rail.x + rail.width).toBeLessThan(text.x);
  expect(text.width).toBe(656);
  await page.setViewportSize({ width: widths.phone, height: 844 });
  const [list, below] = [await box("navigation"), await box("article")];
  expect(list.y + list.height).toBeLessThan(below.y);
});

test("in print the text is alone, in colours for paper", async () => {
  const visit = await site.visit({ theme: "dark" });
  const { page } = visit;
  await open(visit, "/gdpr", "GDPR");
  await page.emulateMedia({ media: "print" });
  await expect.poll(() => page.getByRole("banner").isVisible()).toBe(false);
  expect(await page.getByRole("navigation", { name: "On this page" }).isVisible()).toBe(false);
  expect(await page.getByRole("article").isVisible()).toBe(true);
  const color = await page.evaluate(`getComputedStyle(document.querySelector("h1")).color`);
  expect(color).toBe("rgb(18, 20, 23)");
});

test("the browser stores what the Privacy Policy says: two cookies no script can read, four entries at most, and no other host is contacted", async () => {
  const { email, password, createAlias } = await site.person();
  await createAlias({ forwardTo: "jonas@inbox.example" });
  const visit = await site.visit({ previewToken: null });
  const { page, context } = visit;
  await open(visit, "/privacy", "Privacy Policy");
  expect(await context.cookies()).toEqual([]);
  await page.goto("/auth");
  await signIn(page, email, password);
  await page.getByRole("heading", { level: 1, name: "Email Forwarding" }).waitFor();
  await page.getByRole("button", { name: "Switch between light and dark theme" }).click();
  const cookies = await context.cookies();
  expect(cookies.map(({ name }) => name).toSorted()).toEqual(["browser", "sid"]);
  const domain = new URL(site.server.url).hostname;
  for (const cookie of cookies) expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Lax", domain });
  await expect.poll(() => page.evaluate("Object.keys(localStorage).sort()")).toEqual(["authMethod", "theme", "user"]);
  const order = page.getByRole("combobox", { name: "Order of aliases" });
  await order.waitFor();
  expect(await page.evaluate("sessionStorage.length")).toBe(0);
  await order.selectOption("By name");
  await expect.poll(() => page.evaluate("Object.keys(sessionStorage)")).toEqual(["alias-list"]);
  // Every visit is watched for requests to other origins.
  await page
    .getByRole("button", { name: /log ?out|sign out/i })
    .first()
    .click();
  await seePath(page, "/home");
  await expect.poll(() => page.evaluate("Object.keys(localStorage)")).toEqual(["theme"]);
  expect(await page.evaluate("sessionStorage.length")).toBe(0);
  // Logging out ends the session; the browser remains known.
  await expect.poll(async () => (await context.cookies()).map(({ name }) => name)).toEqual(["browser"]);
});

test("both sign-in forms lead to the Terms of Service and the Privacy Policy", async () => {
  const { page } = await site.visit();
  for (const form of ["/auth", "/register"])
    for (const [name, path] of [
      ["Terms of Service", "/terms"],
      ["Privacy Policy", "/privacy"],
    ] as const) {
      await page.goto(form);
      await page.getByRole("main").getByRole("link", { name }).click();
      await seePath(page, path);
      await page.getByRole("heading", { level: 1, name }).waitFor();
    }
});
