/**
 * How the dashboard loads: its heading at once, and all its data requested at once instead of one request after the
 * other.
 */
import { expect, test } from "vitest";
import { type Visit, widths } from "../browser/browser.ts";
import { seeHeading } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { aliasRow, destinationsIn } from "../browser/steps.ts";

const site = runSite();

/** Opens the dashboard of a person with one alias. @returns the visit and the paths of all requests in their order */
async function arrive(): Promise<{ visit: Visit; asked: string[] }> {
  const person = await site.person();
  await person.createAlias({ alias: `one.${person.user.id.slice(0, 8)}`, forwardTo: "somebody@example.org" });
  const visit = await site.visit({ as: person });
  const asked: string[] = [];
  visit.page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  return { visit, asked };
}

/** Delays requests to the paths until the returned function is called. */
async function hold({ context }: Visit, paths: RegExp): Promise<() => void> {
  const held = Promise.withResolvers<void>();
  await context.route(paths, async (route) => {
    await held.promise;
    await route.continue();
  });
  return () => held.resolve();
}

const firstRow = ({ page }: Visit) => page.getByRole("switch").first();

test("the heading is in the document before any script runs, and stays the same element when the page is shown", async () => {
  const { visit } = await arrive();
  const release = await hold(visit, /\/assets\/.*\.js$/);
  await visit.page.goto("/dashboard", { waitUntil: "commit" });
  const heading = visit.page.getByRole("heading", { name: "Email Forwarding", exact: true });
  await heading.waitFor();
  await visit.page.evaluate("document.querySelector('h1').dataset.first = 'yes'");
  await visit.page.getByRole("status").getByText("Loading...").waitFor();
  release();
  await firstRow(visit).waitFor();
  expect(await heading.getAttribute("data-first")).toBe("yes");
});

test("the document names every script that the aliases need", async () => {
  const { visit } = await arrive();
  const document = await (await visit.context.request.get("/dashboard")).text();
  const named = (path: string) => document.includes(`"${path}"`);
  const late = Promise.withResolvers<void>();
  const asked = new Set<string>();
  await visit.context.route(/\/assets\/.*\.js$/, async (route) => {
    const { pathname } = new URL(route.request().url());
    asked.add(pathname);
    if (!named(pathname)) await late.promise;
    await route.continue();
  });
  await visit.page.goto("/dashboard");
  await firstRow(visit).waitFor();
  const needed = [...asked].filter(named);
  expect(needed.some((path) => path.startsWith("/assets/DashboardPage-"))).toBe(true);
  expect(needed.some((path) => /\/(?:zod|forms|dialogs)-/.test(path))).toBe(false);
  expect(needed.length).toBeLessThanOrEqual(8);
  late.resolve();
  await visit.page.getByRole("form", { name: "Create alias" }).waitFor();
});

test("the session and the aliases are requested once, and before any script has arrived", async () => {
  const { visit, asked } = await arrive();
  const releasePage = await hold(visit, /\/assets\/.*\.js$/);
  // What an event says has changed, as the alias just made, is requested again.
  const releaseEvents = await hold(visit, /\/api\/events$/);
  await visit.page.goto("/dashboard", { waitUntil: "commit" });
  await expect.poll(() => asked).toContain("/api/aliases/me");
  const firstScript = asked.findIndex((path) => path.startsWith("/assets/index-"));
  expect(asked.indexOf("/api/auth/session")).toBeLessThan(firstScript);
  expect(asked.indexOf("/api/aliases/me")).toBeLessThan(firstScript);
  releasePage();
  await firstRow(visit).waitFor();
  // Nothing on the page waits for these.
  const late = ["/api/analytics", "/api/account/draft-key"];
  const calls = () => asked.filter((path) => path.startsWith("/api/") && !late.includes(path)).toSorted();
  await visit.page.getByRole("heading", { name: "Get started" }).waitFor();
  await expect
    .poll(calls)
    .toEqual([
      "/api/account/defaults",
      "/api/account/domains",
      "/api/account/first-steps",
      "/api/aliases/me",
      "/api/auth/session",
      "/api/domains",
      "/api/events",
      "/api/mailboxes",
      "/api/notices",
    ]);
  releaseEvents();
});

test("the account's first key of drafts makes the page ask for nothing twice", async () => {
  const person = await site.person();
  const alias = await person.createAlias({ forwardTo: "somebody@example.org" });
  const { page } = await site.visit({ as: person });
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  const opened = page.waitForResponse("**/api/events");
  const stored = page.waitForResponse("**/api/account/draft-key");
  await page.goto("/dashboard");
  await Promise.all([opened, stored]);
  await page.getByRole("heading", { name: "Get started" }).waitFor();
  // The change below is told after whatever the storing of the key told.
  const lists = () => asked.filter((path) => path.startsWith("/api/aliases/")).length;
  const before = lists();
  await person.call("PATCH", `/api/aliases/${alias.id}/toggle`, { active: false });
  await expect.poll(lists).toBeGreaterThan(before);
  expect(asked.filter((path) => path === "/api/account/defaults")).toHaveLength(1);
});

test.each([
  ["desktop", 400],
  ["phone", 570],
] as const)("on a %s the first row begins within the first %i pixels", async (screen, most) => {
  const person = await site.person();
  await person.createAlias({ alias: `high.${screen}`, forwardTo: "somebody@example.org" });
  await person.call("PATCH", "/api/account/settings", { hidesFirstSteps: true });
  const visit = await site.visit({ width: widths[screen], as: person });
  await visit.page.goto("/dashboard");
  await expect.poll(() => destinationsIn(visit.page)).toBe(person.email);
  const row = await aliasRow(visit.page, `high.${screen}@kauke.test`).boundingBox();
  expect(row?.y).toBeLessThanOrEqual(most);
});

test("if the session has ended the sign-in form replaces the heading, and the URL is kept", async () => {
  const { visit } = await arrive();
  visit.expectRefusal(401, "/api/auth/session");
  visit.expectRefusal(401, "/api/aliases/me");
  const cookies = await visit.context.cookies();
  await visit.context.addCookies(cookies.map((cookie) => ({ ...cookie, value: "ended" })));
  await visit.page.goto("/dashboard");
  await seeHeading(visit.page, "Welcome Back");
  expect(await visit.page.getByRole("heading", { name: "Email Forwarding" }).count()).toBe(0);
  expect(new URL(visit.page.url()).pathname).toBe("/dashboard");
});
