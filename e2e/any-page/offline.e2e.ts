/** Without a connection, without a response, and when a page can't be shown: the message, and what a person can do. */
import { isLongRun } from "@kauke/testkit/long-rounds";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { seeRequestsDone } from "../browser/requests-done.ts";
import { seeGone, seeHeading, seePath, seeToast, seeUndo, withoutEvents } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { aliasSwitch, createForm, fillCreate, tryAgain } from "../browser/steps.ts";
import { usuallyAt } from "../browser/variants.ts";
import { aFile } from "../move/exports.ts";
import { axeFindings, sidewaysOverflow } from "./axe.ts";

const site = runSite();

const offline = (page: Page) => page.getByText("You are offline.", { exact: false });
const unreachable = (page: Page) => page.getByText("The server can’t be reached.", { exact: false });
const settingsChunk = "**/assets/SettingsPage-*";

/** Waits for the code of toasts, which is loaded early if somebody is signed in. */
async function toasterIsThere(page: Page): Promise<void> {
  await page.getByRole("region", { name: /notifications/i }).waitFor({ state: "attached" });
}

describe.each(usuallyAt("phone"))("at %i pixels", (width) => {
  test("offline a bar says so; actions are refused with a message, and work once the connection is back", async () => {
    const person = await site.person();
    const { alias } = await person.createAlias({ forwardTo: "jonas@inbox.example" });
    const { page, context, expectFailure } = await site.visit({ width, as: person });
    await withoutEvents(page);
    await page.goto("/dashboard");
    const flip = aliasSwitch(page, `${alias}@kauke.test`);
    await flip.waitFor();
    await toasterIsThere(page);
    // What the page asks for last would fail too.
    await seeRequestsDone(page);
    expectFailure(/\/toggle$/);
    await context.setOffline(true);
    await offline(page).waitFor();
    await flip.click();
    await seeToast(page, "Toggle Failed", "The server could not be reached. Check your connection and try again.");
    expect(await flip.getAttribute("aria-checked")).toBe("true");
    await context.setOffline(false);
    await seeGone(offline(page));
    await flip.click();
    await seeUndo(page, "Alias Paused");
  });

  test("without a response of the server a bar says so, until there is one", async () => {
    const { page, context, expectFailure } = await site.visit({ width, as: await site.person() });
    await page.goto("/dashboard");
    await page.getByText("No aliases yet").waitFor();
    // A late response would show that the server can be reached.
    await seeRequestsDone(page);
    expectFailure(/^\/api\//);
    await context.route("**/api/**", (route) => route.abort("connectionrefused"));
    await fillCreate(page, { alias: "kept-as-typed", forwardTo: "jonas@inbox.example" });
    await unreachable(page).waitFor();
    expect(await createForm(page).getByLabel("Alias name and domain").inputValue()).toBe("kept-as-typed");
    await page.getByRole("status").getByRole("button", { name: "Try again" }).click();
    await unreachable(page).waitFor();
    await context.unrouteAll();
    await tryAgain(page);
    await seeGone(unreachable(page));
  });

  test("what failed for want of a connection has one button, and all of it is loaded again once there is one", async () => {
    const { page, context, expectFailure } = await site.visit({ width, as: await site.person() });
    expectFailure(/^\/api\//);
    await context.route(/\/api\/(?!auth)/, (route) => route.abort("connectionrefused"));
    await page.goto("/dashboard");
    await page.getByText("The domains could not be loaded.").waitFor();
    await page.getByText("Your aliases could not be loaded").waitFor();
    await unreachable(page).waitFor();
    expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(1);
    await context.unrouteAll();
    await tryAgain(page);
    await page.getByText("No aliases yet").waitFor();
    await seeGone(page.getByText("The domains could not be loaded."));
  });

  test("what failed while offline is loaded by itself when the network is back", async () => {
    const { page, context, expectFailure } = await site.visit({ width, as: await site.person() });
    expectFailure(/^\/api\//);
    await context.route("**/api/encryption-keys", (route) => route.abort("connectionrefused"));
    await page.goto("/settings");
    await page.getByText("Your keys could not be loaded").waitFor();
    await context.setOffline(true);
    await offline(page).waitFor();
    expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
    await context.unrouteAll();
    await context.setOffline(false);
    await page.getByText("No encryption keys yet").waitFor();
  });

  test("a page whose code is gone after an update is reloaded once, automatically", async () => {
    const { page, context, expectRefusal, expectError } = await site.visit({ width, as: await site.person() });
    expectRefusal(404, /\/assets\/SettingsPage-/);
    expectError(/dynamically imported module/);
    await page.goto("/dashboard");
    await seeHeading(page, "Email Forwarding");
    let asked = 0;
    await context.route(settingsChunk, (route) => (++asked === 1 ? route.fulfill({ status: 404 }) : route.continue()));
    await page.evaluate("history.pushState(null, '', '/settings')");
    // The heading is there before the page's code is.
    await expect.poll(() => asked).toBe(2);
    await seeHeading(page, "Settings");
  });

  test.runIf(isLongRun)(
    "if the page's code is still gone after the reload, a message says so, with a button to try again and a link home",
    async () => {
      const { page, context, expectRefusal, expectError } = await site.visit({ width, as: await site.person() });
      expectRefusal(404, /\/assets\/SettingsPage-/);
      expectError(/dynamically imported module/);
      let loads = 0;
      page.on("request", (request) => request.isNavigationRequest() && loads++);
      await context.route(settingsChunk, (route) => route.fulfill({ status: 404 }));
      await page.goto("/settings");
      await seeHeading(page, "Something went wrong");
      await page.getByRole("alert").getByText("This page could not be loaded.", { exact: false }).waitFor();
      expect(loads).toBe(2);
      await context.unrouteAll();
      await page.getByRole("button", { name: "Try again" }).click();
      await seeHeading(page, "Settings");
    },
  );

  test("parts of a page whose code is gone say so and offer a reload; what was typed stays, and the page works", async () => {
    const person = await site.person();
    const { alias, domain } = await person.createAlias({ forwardTo: "jonas@inbox.example" });
    const visit = await site.visit({ width, as: person });
    const { page, context, expectRefusal, expectFailure } = visit;
    expectRefusal(404, /\/assets\/AliasPanel-/);
    expectFailure(/\/assets\/CommandPalette-/);
    await context.route("**/assets/AliasPanel-*", (route) => route.fulfill({ status: 404 }));
    await context.route("**/assets/CommandPalette-*", (route) => route.abort("connectionrefused"));
    await page.goto("/dashboard");
    const name = createForm(page).getByLabel("Alias name and domain");
    await aliasSwitch(page, `${alias}@${domain}`).waitFor();
    await name.fill("kept-as-typed");
    await page.getByRole("link", { name: `${alias}@${domain}` }).click();
    const panel = page.getByRole("alert").filter({ hasText: "The panel of this alias could not be loaded." });
    await panel.waitFor();
    expect(await axeFindings(visit)).toEqual([]);
    await page.keyboard.press("Control+k");
    const list = page.getByRole("alert").filter({ hasText: "The list of commands could not be loaded." });
    await list.waitFor();
    expect(await axeFindings(visit)).toEqual([]);
    expect(await sidewaysOverflow(visit)).toEqual([]);
    await page.keyboard.press("Escape");
    await seeGone(list);
    expect(await name.inputValue()).toBe("kept-as-typed");
    await context.unrouteAll();
    await panel.getByRole("button", { name: "Reload the page" }).click();
    await page.getByRole("dialog", { name: new RegExp(alias) }).waitFor();
  });

  test("a file that is read by code that can't be loaded is not called damaged", async () => {
    const { page, context } = await site.visit({ width, as: await site.person() });
    await context.route("**/assets/export.worker-*", (route) => route.abort("connectionrefused"));
    await page.goto("/move");
    await page.getByLabel("Export file").setInputFiles(aFile("bitwarden_export.json", "{}"));
    await page.getByText(/was not read, because the code for it could not be loaded/).waitFor();
  });

  test("a page that can't be shown says so; trying again shows it, and the link home works", async () => {
    const { page, context, expectError } = await site.visit({ width, as: await site.person() });
    expectError(/TypeError/);
    await context.route("**/api/encryption-keys", (route) => route.fulfill({ json: { keys: 7 } }));
    await page.goto("/settings");
    await seeHeading(page, "Something went wrong");
    await page.getByRole("alert").getByText("This page could not be shown.", { exact: false }).waitFor();
    // The top bar is still shown above the error message.
    await page.getByRole("banner").getByRole("link", { name: "Kauke, home" }).waitFor();
    await page.getByRole("main").getByRole("link", { name: "Back to start" }).click();
    await seePath(page, "/home");
    await seeHeading(page, "One click, new identity. Your inbox stays safe.");
  });
});

test.runIf(isLongRun)(
  "if the code of toasts can't be loaded nothing else breaks, and the next toast loads it",
  async () => {
    const { page, context, expectFailure } = await site.visit();
    expectFailure(/\/assets\/Toaster-/);
    let asked = 0;
    await context.route("**/assets/Toaster-*", (route) =>
      ++asked === 1 ? route.abort("connectionrefused") : route.continue(),
    );
    await page.goto("/register");
    await expect.poll(() => asked).toBe(1);
    await page.getByRole("button", { name: "Create Account" }).click();
    await seeHeading(page, "Create your account");
    await page.getByRole("listitem").getByText("Password Too Short").waitFor({ timeout: 20_000 });
  },
);
