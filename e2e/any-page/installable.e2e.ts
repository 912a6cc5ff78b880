/** The installed app: its manifest, what it shows without a connection, what it stores, and sites shared with it. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Visit, VisitOptions } from "../browser/browser.ts";
import { openVisit } from "../browser/browser.ts";
import { seeFocus, seeGone, seeHeading, seePath, seeStored, seeToast } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { createAliasOnPage, createForm, settingsPart, signIn } from "../browser/steps.ts";
import { usuallyAt } from "../browser/variants.ts";
import { expectAccessible, sidewaysOverflow } from "./axe.ts";

const site = runSite();

const name = (page: Page) => createForm(page).getByLabel("Alias name and domain");
const notes = (page: Page) => createForm(page).getByLabel(/^Notes/);
const workerReady = (page: Page) => page.evaluate("navigator.serviceWorker.ready.then(() => true)");

/** A signed-in visit whose service worker is there; the page is the dashboard. */
async function installed(options: VisitOptions = {}): Promise<Visit & { email: string }> {
  const person = await site.person();
  const visit = await site.visit({ as: person, worker: true, ...options });
  await visit.page.addInitScript(
    `addEventListener("online", (event) => window.isLookedAt && event.stopImmediatePropagation())`,
  );
  await visit.page.goto("/dashboard");
  await seeHeading(visit.page, "Email Forwarding");
  await workerReady(visit.page);
  return { ...visit, email: person.email };
}

async function goOffline(visit: Visit, path: string): Promise<void> {
  const { page, context } = visit;
  visit.expectRefusal(503, path);
  visit.expectFailure(path);
  await context.setOffline(true);
  await page.goto(path);
  await page.getByRole("heading", { name: "No Connection" }).waitFor();
}

/** Looks at the page that is shown offline. When the debugger of axe leaves, Chromium says that it is online. */
async function expectOfflineAccessible(visit: Visit): Promise<void> {
  await visit.page.evaluate("window.isLookedAt = true");
  await expectAccessible(visit);
}

test("the manifest is one that Chromium installs, and all it names is there", async () => {
  const { page, context, origin } = await site.visit();
  await page.goto("/");
  const debug = await context.newCDPSession(page);
  const { errors, data } = await debug.send("Page.getAppManifest");
  expect(errors).toEqual([]);
  const manifest = JSON.parse(data ?? "");
  expect(manifest).toMatchObject({ id: "/", scope: "/", start_url: "/dashboard", display: "standalone" });
  expect(manifest.share_target).toEqual({
    action: "/dashboard",
    method: "GET",
    enctype: "application/x-www-form-urlencoded",
    params: { title: "title", text: "text", url: "url" },
  });
  expect(manifest.icons.map(({ purpose = "any", sizes }: Record<string, string>) => `${purpose} ${sizes}`)).toEqual(
    expect.arrayContaining(["any 192x192", "any 512x512", "maskable 192x192", "maskable 512x512"]),
  );
  for (const { src, type, sizes } of manifest.icons) {
    const icon = await fetch(origin + src);
    expect([icon.status, icon.headers.get("content-type")]).toEqual([200, type]);
    if (type !== "image/png") continue;
    const bytes = Buffer.from(await icon.arrayBuffer());
    expect(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`).toBe(sizes);
  }
  expect(manifest.shortcuts.map((shortcut: { name: string }) => shortcut.name)).toEqual([
    "New alias",
    "Write a letter",
    "Decrypt",
  ]);
  for (const { url } of manifest.shortcuts) expect((await fetch(origin + url)).status).toBe(200);
  // The colours are those of the two themes.
  const canvas = (theme: string) =>
    page.evaluate<string>(
      `(document.documentElement.dataset.theme = "${theme}", getComputedStyle(document.documentElement).backgroundColor)`,
    );
  const rgb = (hex: string) => `rgb(${[1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)).join(", ")})`;
  expect(rgb(manifest.background_color)).toBe(await canvas("light"));
  expect(rgb(manifest.color_scheme_dark.background_color)).toBe(await canvas("dark"));
});

describe("the service worker", () => {
  test("is always asked for anew, and may be a worker", async () => {
    const { headers } = await fetch(`${site.server.url}/sw.js`);
    expect(headers.get("cache-control")).toBe("no-cache");
    expect(headers.get("content-type")).toMatch(/javascript/);
    expect(headers.get("content-security-policy")).toContain("worker-src 'self'");
  });

  test("is not registered for visitors, only for people who are signed in", async () => {
    const { page } = await site.visit({ worker: true });
    for (const path of ["/", "/auth", "/about"]) {
      await page.goto(path);
      await page.waitForTimeout(2500);
      expect(await page.evaluate("navigator.serviceWorker.getRegistrations().then((all) => all.length)")).toBe(0);
    }
  });

  test("serves pages from the network, and takes part in nothing else", async () => {
    const { page } = await installed();
    const byWorker = new Map<string, boolean>();
    page.on("response", (response) => byWorker.set(new URL(response.url()).pathname, response.fromServiceWorker()));
    const listed = page.waitForResponse(/\/api\/aliases\//);
    await page.goto("/dashboard");
    await listed;
    expect(byWorker.get("/dashboard")).toBe(true);
    const others = [...byWorker].filter(([path, isIt]) => isIt && path !== "/dashboard");
    expect(others).toEqual([]);
    expect([...byWorker.keys()].some((path) => path.startsWith("/api/"))).toBe(true);
  });
});

describe("without a connection", () => {
  test.each(usuallyAt("phone"))("at %i pixels a page says what can't be done, and loads by itself", async (width) => {
    const visit = await installed({ width });
    const { page, context } = visit;
    await goOffline(visit, "/compose");
    await page.getByText("Nothing you typed is lost.").waitFor();
    await page.getByText("Aliases, letters and Decrypt can’t be opened meanwhile.").waitFor();
    expect(await page.title()).toBe("No connection — Kauke");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "No Connection" }).waitFor();
    await expectOfflineAccessible(visit);
    await page.reload();
    await page.getByRole("heading", { name: "No Connection" }).waitFor();
    await context.setOffline(false);
    await seeHeading(page, "Compose Email");
    await seePath(page, "/compose");
  });

  test.each(["light", "dark"] as const)("in the %s theme, as chosen", async (theme) => {
    const visit = await installed({ theme, width: 320 });
    await goOffline(visit, "/settings");
    expect(await visit.page.evaluate("document.documentElement.dataset.theme")).toBe(theme);
    await expectOfflineAccessible(visit);
  });

  test("in the language that was chosen", async () => {
    const visit = await site.visit({ as: await site.person(), worker: true });
    const { page, context, origin } = visit;
    await context.addCookies([{ name: "language", value: "lt", url: origin }]);
    await page.goto("/dashboard");
    await workerReady(page);
    // As by any page with a Lithuanian letter.
    await page.evaluate(`document.fonts.load('16px "Geist Variable"', "ė").then(() => true)`);
    visit.expectRefusal(503, "/decrypt");
    visit.expectFailure("/decrypt");
    await context.setOffline(true);
    await page.goto("/decrypt");
    await page.getByRole("heading", { name: "Nėra ryšio" }).waitFor();
    expect(await page.evaluate("document.documentElement.lang")).toBe("lt");
    expect(await sidewaysOverflow(visit)).toEqual([]);
  });

  test("what was typed is there when the connection is back", async () => {
    const visit = await installed();
    const { page, context } = visit;
    await name(page).fill("typed-before");
    const stored = `new Promise((resolve) => {
      indexedDB.open("drafts").onsuccess = ({ target: { result } }) => {
        result.transaction("drafts").objectStore("drafts").count().onsuccess = ({ target }) => {
          result.close();
          resolve(target.result);
        };
      };
    })`;
    await expect.poll(() => page.evaluate(stored)).toBe(1);
    await goOffline(visit, "/dashboard");
    await context.setOffline(false);
    await seeHeading(page, "Email Forwarding");
    await expect.poll(() => name(page).inputValue()).toBe("typed-before");
  });

  test("a page that is gone or forbidden is the server's, not the worker's", async () => {
    const { page, expectRefusal } = await installed();
    expectRefusal(404, "/nowhere");
    await page.goto("/nowhere");
    await seeHeading(page, "Page Not Found");
  });
});

/** Everything in the browser's caches of this origin, as text. */
const cached = (page: Page) =>
  page.evaluate<{ url: string; text: string }[]>(`(async () => {
    const found = [];
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const request of await cache.keys()) {
        const response = await cache.match(request);
        found.push({ url: new URL(request.url).pathname, text: await response.text() });
      }
    }
    return found;
  })()`);

test("nothing is in the browser's caches after a whole journey, where a control is found, nor after Log Out", async () => {
  const visit = await installed();
  const { page, origin, email } = visit;
  await createAliasOnPage(page, { alias: "secret-shop", domain: "kauke.test", forwardTo: "jonas@inbox.example" });
  await page.getByRole("link", { name: "secret-shop@kauke.test" }).click();
  for (const path of ["/compose", "/decrypt", "/settings", "/move", "/dashboard"]) {
    await page.goto(path);
    await page.getByRole("heading", { level: 1 }).waitFor();
  }
  await page.goto("/settings");
  await settingsPart(page, "Mailboxes");
  await page.reload();
  await goOffline(visit, "/dashboard");
  await visit.context.setOffline(false);
  await seeHeading(page, "Email Forwarding");
  expect(await cached(page)).toEqual([]);
  const worker = await (await fetch(`${origin}/sw.js`)).text();
  for (const text of ["secret-shop", email]) expect(worker).not.toContain(text);
  await page.evaluate(`caches.open("control").then((cache) => cache.add("/api/auth/session"))`);
  const control = await cached(page);
  expect(control.map(({ url, text }) => [url, text.includes(email)])).toEqual([["/api/auth/session", true]]);
  await page.evaluate(`caches.delete("control")`);
  await page.getByRole("button", { name: "Log Out" }).click();
  await seeToast(page, "Logged Out");
  expect(await cached(page)).toEqual([]);
  await goOffline(visit, "/dashboard");
  expect(await page.content()).not.toContain(email);
});

describe("an update of the worker", () => {
  let proxy: Server;
  let origin = "";
  /** What /sw.js is: a text, the server's own, or nothing. */
  const own = "own";
  let worker: string | null = own;

  beforeAll(async () => {
    const pass = async ({ method = "GET", url = "/", headers }: IncomingMessage, response: ServerResponse) => {
      if (url.startsWith("/sw.js") && worker !== own) {
        response.writeHead(worker === null ? 404 : 200, { "content-type": "text/javascript" });
        return response.end(worker ?? "");
      }
      const answer = await fetch(site.server.url + url, {
        method,
        headers: { cookie: headers.cookie ?? "", accept: headers.accept ?? "*/*" },
        redirect: "manual",
      });
      const kept = ["content-type", "content-security-policy", "cache-control"];
      const passed = kept.flatMap((header) => [header, answer.headers.get(header) ?? ""]);
      response.writeHead(answer.status, Object.fromEntries(pairs(passed)));
      if (url === "/api/events") return response.end();
      response.end(Buffer.from(await answer.arrayBuffer()));
    };
    proxy = createServer((request, response) => void pass(request, response));
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    origin = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    proxy.closeAllConnections();
    proxy.close();
  });

  const heading = (page: Page) => page.getByRole("heading", { name: "Email Forwarding" }).waitFor();
  /** A worker as nobody should have it: it shows an old page, whatever the server has. */
  const stale = `addEventListener("install", () => skipWaiting());
    addEventListener("fetch", (event) => {
      if (event.request.mode === "navigate" && event.request.url.endsWith("/about"))
        event.respondWith(new Response("<h1>Old page</h1>", { headers: { "content-type": "text/html" } }));
    });`;

  /** Resolves once another worker is active. */
  const replaced = `navigator.serviceWorker.getRegistration().then((found) => new Promise((resolve) =>
    found.addEventListener("updatefound", () =>
      found.installing.addEventListener("statechange", ({ target }) => target.state === "activated" && resolve(true)))))`;

  test("replaces an old one at the next load; without any at the server pages still work", async () => {
    worker = stale;
    const { page, context, close } = await openVisit(origin, { as: await site.person(), worker: true });
    const active = () => page.evaluate("navigator.serviceWorker.ready.then(({ active }) => active.state)");
    try {
      await page.goto("/dashboard");
      await expect.poll(active).toBe("activated");
      await page.goto("/about");
      await page.getByRole("heading", { name: "Old page" }).waitFor();
      worker = own;
      await page.goto("/dashboard");
      await heading(page);
      await page.evaluate(replaced);
      await page.goto("/about");
      await page.getByRole("heading", { name: "About" }).first().waitFor();
      worker = null;
      await page.goto("/dashboard");
      await heading(page);
      await page.waitForTimeout(3000);
      await page.goto("/dashboard");
      await heading(page);
      await context.setOffline(true);
      await page.goto("/dashboard");
      await page.getByRole("heading", { name: "No Connection" }).waitFor();
      await context.setOffline(false);
      await heading(page);
      await page.evaluate("navigator.serviceWorker.getRegistration().then((found) => found.unregister())");
      await page.goto("/dashboard");
      await heading(page);
    } finally {
      await close();
    }
  });
});

function* pairs(flat: readonly string[]): Generator<[string, string]> {
  for (let at = 0; at < flat.length; at += 2) yield [flat[at] ?? "", flat[at + 1] ?? ""];
}

describe("a site that is shared with the app", () => {
  const shared = (url: string) => `/dashboard?${new URLSearchParams({ title: "Shoes", text: "", url }).toString()}`;
  const suggested = /^shop\.[a-z0-9]+$/;

  test.each(usuallyAt("phone"))("at %i pixels it fills in the form, and creates nothing by itself", async (width) => {
    const person = await site.person();
    const visit = await site.visit({ as: person, width });
    const { page } = visit;
    await page.goto(shared("https://user:secret@www.shop.example/cart?token=abc#x"));
    await expect.poll(() => name(page).inputValue()).toMatch(suggested);
    expect(await notes(page).inputValue()).toBe("shop.example");
    await seeFocus(name(page));
    expect(new URL(page.url()).search).toBe("");
    expect(await person.listAliases()).toEqual([]);
    await expectAccessible(visit);
    await createForm(page).getByLabel("Forward to").fill("jonas@inbox.example");
    await createForm(page).getByRole("button", { name: "Create Alias" }).click();
    await seeToast(page, "Alias Created");
    const [alias] = await person.listAliases();
    expect([alias?.alias, alias?.notes]).toEqual([expect.stringMatching(suggested), "shop.example"]);
    await page.reload();
    await seeHeading(page, "Email Forwarding");
    expect(await name(page).inputValue()).toBe("");
  });

  test("to somebody who is not signed in, it is there after the sign-in", async () => {
    const { email } = await site.person();
    const { page } = await site.visit();
    await page.goto(shared("https://shop.example/cart?token=abc"));
    await seeHeading(page, "Welcome Back");
    // The prerendered form shows before the app has read the address.
    await expect.poll(() => page.url()).not.toContain("shop");
    expect(await page.evaluate("JSON.stringify(sessionStorage) + JSON.stringify(localStorage)")).not.toContain("token");
    await page.getByRole("link", { name: "Create an account" }).click();
    await seeHeading(page, "Create your account");
    await page.reload();
    await page.getByRole("link", { name: "Sign in", exact: true }).first().click();
    await seeHeading(page, "Welcome Back");
    await signIn(page, email);
    await seeHeading(page, "Email Forwarding");
    await expect.poll(() => name(page).inputValue()).toMatch(suggested);
    expect(await notes(page).inputValue()).toBe("shop.example");
    expect(await page.evaluate("sessionStorage.getItem('shared-site')")).toBeNull();
  });

  test("what had been typed for another site can be put back", async () => {
    const { page } = await site.visit({ as: await site.person() });
    await page.goto("/dashboard");
    await name(page).fill("bookshop");
    await notes(page).fill("books");
    await seeStored(page);
    await page.goto(shared("https://shop.example/"));
    await expect.poll(() => name(page).inputValue()).toMatch(suggested);
    const toast = await seeToast(page, "Filled In");
    await toast.getByRole("button", { name: "Put back" }).click();
    expect([await name(page).inputValue(), await notes(page).inputValue()]).toEqual(["bookshop", "books"]);
    await seeGone(toast);
  });

  test("anything that is no site leaves the form blank, with the name to be typed next", async () => {
    const { page } = await site.visit({ as: await site.person() });
    for (const url of ["javascript:alert(1)", "<script>alert(1)</script>", "https://localhost/x", "x".repeat(5000)]) {
      await page.goto(shared(url));
      await seeFocus(name(page));
      expect([await name(page).inputValue(), await notes(page).inputValue()]).toEqual(["", ""]);
    }
  });

  test("the shortcut New alias leads to the form's name", async () => {
    const { page } = await site.visit({ as: await site.person() });
    await page.goto("/dashboard?new");
    await seeFocus(name(page));
    await seePath(page, "/dashboard");
  });
});
