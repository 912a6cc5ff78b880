/**
 * What changes elsewhere shows by itself within two seconds: by another browser, an API key, and mail. One stream of
 * events serves all tabs of a browser, and says what kind of thing has changed, never what it is now.
 */
import { liveKinds } from "@kauke/contract";
import type { BrowserContext, Page } from "playwright-core";
import { expect, test } from "vitest";
import { runSite } from "../browser/site.ts";
import { aliasRow, aliasSwitch, toggleAlias } from "../browser/steps.ts";

const site = runSite();
const SOON_MS = 2000;

/** Streams of the context that are open, and the text of all that were read. */
function watchStreams(context: BrowserContext) {
  const open = new Set<object>();
  context.on("request", (request) => void (new URL(request.url()).pathname === "/api/events" && open.add(request)));
  context.on("requestfinished", (request) => void open.delete(request));
  context.on("requestfailed", (request) => void open.delete(request));
  return open;
}

async function openDashboard(page: Page, address: string): Promise<void> {
  const opened = page.waitForResponse("**/api/events");
  await page.goto("/dashboard");
  await aliasRow(page, address).waitFor();
  await opened;
}

/** Resolves when the work's effect is on the page. @returns how long after the work it was, in milliseconds */
async function timeUntilSeen(work: () => Promise<unknown>, seen: () => Promise<unknown>): Promise<number> {
  await work();
  const begun = performance.now();
  await seen();
  return performance.now() - begun;
}

test("a change in another browser, by an API key and by the mail path shows within two seconds", async () => {
  const person = await site.person();
  const { alias, id } = await person.createAlias({ forwardTo: "jonas@inbox.example" });
  const address = `${alias}@kauke.test`;
  const [here, there] = [await site.visit({ as: person }), await site.visit({ as: person })];
  await openDashboard(here.page, address);
  await openDashboard(there.page, address);
  const isPaused = () => expect.poll(() => aliasSwitch(here.page, address).getAttribute("aria-checked")).toBe("false");
  const isActive = () => expect.poll(() => aliasSwitch(here.page, address).getAttribute("aria-checked")).toBe("true");

  expect(await timeUntilSeen(() => toggleAlias(there.page, address, "off"), isPaused)).toBeLessThan(SOON_MS);

  const { body } = await person.call("POST", "/api/keys", { name: "phone", scopes: ["aliases:write"] });
  const authorization = `Bearer ${(body as { secret: string }).secret}`;
  const byKey = () =>
    fetch(`${site.server.url}/api/aliases/${id}/toggle`, {
      method: "PATCH",
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify({ active: true }),
    });
  expect(await timeUntilSeen(byKey, isActive)).toBeLessThan(SOON_MS);
});

test("an alias made elsewhere appears in every tab of a browser, which has one stream; the next tab takes over", async () => {
  const person = await site.person();
  const { alias } = await person.createAlias({ forwardTo: "jonas@inbox.example" });
  const { page, context } = await site.visit({ as: person });
  const streams = watchStreams(context);
  await openDashboard(page, `${alias}@kauke.test`);
  const second = await context.newPage();
  await second.goto("/dashboard");
  await aliasRow(second, `${alias}@kauke.test`).waitFor();
  const made = await person.createAlias({ forwardTo: "jonas@inbox.example" });
  await aliasRow(page, `${made.alias}@kauke.test`).waitFor();
  await aliasRow(second, `${made.alias}@kauke.test`).waitFor();
  expect(streams.size).toBe(1);
  const taken = second.waitForResponse("**/api/events");
  await page.close();
  await taken;
  const third = await person.createAlias({ forwardTo: "jonas@inbox.example" });
  await aliasRow(second, `${third.alias}@kauke.test`).waitFor();
});

test("after the server was away the page learns what it missed, and no event has content", async () => {
  const person = await site.person();
  const { alias, id } = await person.createAlias({ forwardTo: "jonas@inbox.example" });
  const address = `${alias}@kauke.test`;
  const { page, context } = await site.visit({ as: person });
  await openDashboard(page, address);
  const isOn = (wanted: boolean) =>
    expect.poll(() => aliasSwitch(page, address).getAttribute("aria-checked")).toBe(String(wanted));
  // Once an event was shown, none is on its way, whose requests would fail while the server is away.
  await person.call("PATCH", `/api/aliases/${id}/toggle`, { active: false });
  await isOn(false);
  await context.route("**/api/events", (route) => route.abort("connectionrefused"));
  await site.restart();
  await person.call("PATCH", `/api/aliases/${id}/toggle`, { active: true });
  await context.unroute("**/api/events");
  await isOn(true);
  const words = await readStream(person.cookie, () =>
    person.call("PATCH", `/api/aliases/${id}/toggle`, { active: false }),
  );
  expect(words.length).toBeGreaterThan(0);
  for (const word of words) expect(liveKinds).toContain(word);
});

/** Reads the account's stream as the browser does, until the work has been told. @returns every word in it */
async function readStream(cookie: string, work: () => Promise<unknown>): Promise<string[]> {
  const response = await fetch(`${site.server.url}/api/events`, { headers: { cookie } });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  await work();
  let text = "";
  while (!text.includes("data:")) text += (await reader?.read())?.value ?? "";
  await reader?.cancel();
  return text.split(/[\s:]+/).filter((word) => word !== "" && word !== "data");
}
