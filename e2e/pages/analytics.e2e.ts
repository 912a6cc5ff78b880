/**
 * What is counted of a visit: exact totals in /metrics, once per event, without a person; and no third party is ever
 * contacted.
 */
import { createServer } from "node:net";
import { type PageEvent, pageEvents } from "@kauke/contract";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { widths } from "../browser/browser.ts";
import { recordRequests } from "../browser/request-recorder.ts";
import { seeHeading, seePath, seeToast, seeUndo } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { createAliasOnPage, openSmtp, password, registerOnPage, signIn } from "../browser/steps.ts";
import { usuallyAt } from "../browser/variants.ts";

let metricsPort = 0;
const site = runSite({
  async env() {
    metricsPort = await freePort();
    return { KAUKE_METRICS_PORT: String(metricsPort) };
  },
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

type Totals = Partial<Record<PageEvent, number>>;

async function totals(): Promise<Totals> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const found: Totals = {};
  for (const event of pageEvents) {
    const line = new RegExp(`^kauke_page_events_total\\{event="${event}"\\} (\\d+)$`, "m").exec(text);
    found[event] = Number(line?.[1] ?? 0);
  }
  return found;
}

function difference(after: Totals, before: Totals): Totals {
  const changed = pageEvents.filter((event) => after[event] !== before[event]);
  return Object.fromEntries(changed.map((event) => [event, (after[event] ?? 0) - (before[event] ?? 0)]));
}

/** Waits until the steps have increased the totals as expected, and checks again a while later. */
async function expectCounted(expected: Totals, steps: () => Promise<unknown>): Promise<void> {
  const before = await totals();
  await steps();
  await expect.poll(async () => difference(await totals(), before)).toEqual(expected);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(difference(await totals(), before)).toEqual(expected);
}

const link = (page: Page, name: string) => page.getByRole("contentinfo").getByRole("link", { name, exact: true });

describe.each(usuallyAt("desktop"))("at %i pixels", (width) => {
  test("each page a person opens is one view, also by Back; a hash or the same page again is none", async () => {
    const { page } = await site.visit({ width });
    await expectCounted({ page_view: 4 }, async () => {
      await page.goto("/home");
      await link(page, "About").click();
      await seePath(page, "/about");
      await link(page, "About").click();
      await link(page, "Terms of Service").click();
      await seePath(page, "/terms");
      await page.goBack();
      await seePath(page, "/about");
      await page.evaluate("location.hash = 'main'");
    });
  });

  test("signing up, an alias, its SMTP password and signing out count once each", async () => {
    const { page, context } = await site.visit({ width });
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const email = `counted.${width}@people.example`;
    const alias = `counted-${width}`;
    // Three page views: /home, /auth and /dashboard.
    await expectCounted({ page_view: 3, login_success: 1 }, () => registerOnPage(page, email));
    await expectCounted({ alias_created: 1 }, () =>
      createAliasOnPage(page, { alias, domain: "kauke.test", forwardTo: "jonas@inbox.example" }),
    );
    await openSmtp(page, `${alias}@kauke.test`);
    await expectCounted({}, async () => {
      await page.getByRole("button", { name: "Generate credentials" }).click();
      await page.getByText("Copy now.").waitFor();
    });
    await expectCounted({ copy_smtp_credential: 1 }, () =>
      page.getByRole("button", { name: "Copy", exact: true }).click(),
    );
    await page.getByRole("button", { name: "Hide", exact: true }).click();
    await expectCounted({ smtp_password_viewed: 1 }, () =>
      page.getByRole("button", { name: "View", exact: true }).click(),
    );
    await page.getByRole("button", { name: "Hide", exact: true }).click();
    await expectCounted({ copy_smtp_credential: 1 }, () =>
      page.getByRole("button", { name: "Copy", exact: true }).click(),
    );
    await expectCounted({ alias_deleted: 1 }, async () => {
      await page.getByRole("button", { name: "Delete Alias" }).click();
      await seeUndo(page, "Alias Deleted");
    });
    await expectCounted({ logout: 1, page_view: 1 }, async () => {
      if (width === widths.phone) {
        await page.getByRole("button", { name: "Menu" }).click();
        await page.getByRole("button", { name: "Sign Out" }).click();
      } else await page.getByRole("button", { name: "Log out" }).click();
      await seeToast(page, "Logged Out");
    });
    await expectCounted({ login_success: 1, page_view: 2 }, async () => {
      await page.goto("/auth");
      await signIn(page, email, password);
    });
  });
});

test("refused actions are not counted", async () => {
  const { page, expectRefusal } = await site.visit();
  expectRefusal(401, "/api/auth/login");
  await expectCounted({ page_view: 1 }, async () => {
    await page.goto("/auth");
    await seeHeading(page, "Welcome Back");
    await signIn(page, "nobody@people.example");
    await seeToast(page, "Login Failed");
  });
});

test("only the event's name is sent: no cookie, no id, no URL of a page; and nothing to other hosts", async () => {
  const person = await site.person("seen.by.nobody@people.example");
  const { page, context } = await site.visit({ as: person });
  const recorder = recordRequests(context);
  await page.goto("/settings");
  await seeHeading(page, "Settings");
  const counted = async () => (await recorder.requests()).filter(({ url }) => url.endsWith("/api/analytics"));
  await expect.poll(async () => (await counted()).length).toBe(1);
  const [sent] = await counted();
  expect(sent?.body.toString()).toBe('{"event":"page_view"}');
  const headers = sent?.headers ?? "";
  expect(headers).not.toMatch(/^cookie:/im);
  expect(headers).not.toMatch(/settings/i);
  const origins = (await recorder.requests()).map(({ url }) => new URL(url).origin);
  expect(new Set(origins)).toEqual(new Set([site.server.url]));
  expect(await page.evaluate("Object.keys(localStorage).sort()")).toEqual(["authMethod", "user"]);
});

test("a page works as usual if nothing can be counted", async () => {
  const { page, context } = await site.visit();
  await context.route("**/api/analytics", (route) => route.abort("connectionrefused"));
  await page.goto("/home");
  await link(page, "About").click();
  await seeHeading(page, "About");
  expect(await page.getByText("The server can’t be reached.").count()).toBe(0);
});
