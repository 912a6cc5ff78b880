/** How the dashboard comes: its heading at once, and everything it needs asked for at once instead of one after the other. */
import { expect, test } from "vitest";
import type { Visit } from "../browser/browser.ts";
import { seeHeading } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";

const site = runSite();

/** A visit of somebody with one alias, and the paths of all requests in their order. */
async function arrive(): Promise<{ visit: Visit; asked: string[]; userId: string }> {
  const person = await site.person();
  await person.createAlias({ alias: `one.${person.user.id.slice(0, 8)}`, forwardTo: "somebody@example.org" });
  const visit = await site.visit({ as: person });
  const asked: string[] = [];
  visit.page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  return { visit, asked, userId: person.user.id };
}

/** Until released, nothing comes back from the paths. */
async function hold({ context }: Visit, paths: RegExp): Promise<() => void> {
  const held = Promise.withResolvers<void>();
  await context.route(paths, async (route) => {
    await held.promise;
    await route.continue();
  });
  return () => held.resolve();
}

const firstRow = ({ page }: Visit) => page.getByRole("switch").first();

test("the heading is there without any script, and stays the same element when the page has come", async () => {
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

test("the document names every script that stands between it and the aliases", async () => {
  const { visit, asked } = await arrive();
  const answer = await visit.page.goto("/dashboard");
  const document = (await answer?.text()) ?? "";
  await firstRow(visit).waitFor();
  const scripts = asked.filter((path) => path.endsWith(".js"));
  const named = scripts.filter((path) => document.includes(`"${path}"`));
  const later = scripts.filter((path) => !named.includes(path));
  expect(named.some((path) => path.startsWith("/assets/DashboardPage-"))).toBe(true);
  expect(named.length).toBeLessThanOrEqual(10);
  // What nobody waits for may come when the rows are there.
  const mayBeLate = /^\/assets\/(?:SessionTimeout|Toaster)-/;
  expect(later.filter((path) => !mayBeLate.test(path))).toEqual([]);
});

test("the session and the aliases are asked for once, and before the page's script is here", async () => {
  const { visit, asked, userId } = await arrive();
  const releasePage = await hold(visit, /\/assets\/DashboardPage-/);
  await visit.page.goto("/dashboard", { waitUntil: "commit" });
  await expect.poll(() => asked).toContain(`/api/aliases/${userId}`);
  expect(asked.indexOf("/api/auth/session")).toBeLessThan(asked.findIndex((path) => path.startsWith("/assets/index-")));
  releasePage();
  await firstRow(visit).waitFor();
  const calls = asked.filter((path) => path.startsWith("/api/") && path !== "/api/analytics");
  expect(calls.toSorted()).toEqual([`/api/aliases/${userId}`, "/api/auth/session", "/api/domains", "/api/notices"]);
});

test("with a session that has ended the sign-in form takes the heading's place, the address kept", async () => {
  const { visit } = await arrive();
  visit.expectRefusal(401, "/api/auth/session");
  const cookies = await visit.context.cookies();
  await visit.context.addCookies(cookies.map((cookie) => ({ ...cookie, value: "ended" })));
  await visit.page.goto("/dashboard");
  await seeHeading(visit.page, "Welcome Back");
  expect(await visit.page.getByRole("heading", { name: "Email Forwarding" }).count()).toBe(0);
  expect(new URL(visit.page.url()).pathname).toBe("/dashboard");
});
